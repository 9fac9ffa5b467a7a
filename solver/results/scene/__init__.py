"""What a picture of a machine shows: its bodies as surfaces, from the result file alone; knows no way of drawing."""
