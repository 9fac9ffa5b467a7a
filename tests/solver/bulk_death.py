"""What a worker process imports that cannot even start."""

import os

os._exit(7)
