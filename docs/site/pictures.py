"""Make the pictures of the manual: `python docs/site/pictures.py [PICTURE...]`, all of them without names.

docs/pictures/pictures.toml says what each is made of: runs, and the command that draws them. Beside it, made.toml keeps
from what each picture was made. `--check` makes pictures anew elsewhere and says which ones look different.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np
from PIL import Image, ImageSequence

REPOSITORY = Path(__file__).parents[2]
FOLDER = REPOSITORY / "docs" / "pictures"
RECIPES, MADE = FOLDER / "pictures.toml", FOLDER / "made.toml"
FROM_EXAMPLES = {".rad", ".inc", ".py", ".off", ".stl"}  # what a deck may be made of, beside it
BLOCK = 8  # dots: two pictures are compared by the means of such squares
SEEN = 24  # of 255: a square that differs by more shows another thing
VERIFICATION = "verification"  # the one picture that is not drawn by a command
ROUND_OFF, GAP = "round-off", 1e-10


@dataclass(frozen=True)
class Picture:
    """What a picture is made of.

    file : its name in docs/pictures
    draw : command line of gsolve, in a folder of results; the page of a report is photographed
    runs : those before it; paths that begin with decks/ or docs/ are those of the repository
    reads : files behind it; else the decks of its runs, with all that stands beside them
    width : dots
    colours : of a palette
    seconds : that an animation plays
    frames : of an animation
    at : the part of an animation after which a still is taken
    """

    file: str
    draw: str
    runs: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    width: int = 1200
    colours: int = 64
    seconds: float = 4.0
    frames: int = 40
    at: float | None = None

    @property
    def place(self) -> Path:
        return FOLDER / self.file

    def sources(self) -> list[Path]:
        """Files that it depends on, besides gsolve."""
        if self.reads:
            return [REPOSITORY / name for name in self.reads]
        decks = [REPOSITORY / word for run in self.runs for word in run.split() if word.startswith(("decks/", "docs/"))]
        beside = {path for deck in decks for path in deck.parent.iterdir() if path.suffix in FROM_EXAMPLES}
        return sorted({*decks, *beside})

    def digest(self) -> str:
        """Of all that was said to make it, and of the bytes it was made from."""
        digest = hashlib.sha256(repr(self).encode())
        for path in self.sources():
            digest.update(path.relative_to(REPOSITORY).as_posix().encode() + b"\0" + path.read_bytes())
        return digest.hexdigest()[:16]


def pictures() -> dict[str, Picture]:
    """All of them, by file."""
    entries = tomllib.loads(RECIPES.read_text(encoding="utf-8"))
    return {
        file: Picture(file, **{key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()})
        for file, entry in entries.items()
    }


def made() -> dict[str, str]:
    """Digests of what the pictures in the repository were made from, by file."""
    return tomllib.loads(MADE.read_text(encoding="utf-8"))["pictures"] if MADE.exists() else {}


def drawn_by() -> str:
    """The version of matplotlib that drew the pictures in the repository: others lay out by some dots differently."""
    return tomllib.loads(MADE.read_text(encoding="utf-8"))["matplotlib"] if MADE.exists() else drawing_here()


def drawing_here() -> str:
    """The version of matplotlib here, without its last part."""
    return ".".join(version("matplotlib").split(".")[:2])


def note(digests: dict[str, str]) -> None:
    """Write made.toml."""
    lines = [f'"{file}" = "{digests[file]}"' for file in sorted(pictures()) if file in digests]
    header = "# Written by docs/site/pictures.py: what drew the pictures, and digests of what each was made from.\n"
    head = f'{header}matplotlib = "{drawing_here()}"\n\n[pictures]\n'
    MADE.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


def outdated() -> list[str]:
    """Pictures whose decks or commands are others than those they were made by."""
    known = made()
    return [file for file, picture in pictures().items() if known.get(file) != picture.digest()]


class Studio:
    """A folder in which runs are made, each once, and drawn."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._done: set[str] = set()

    def make(self, picture: Picture, target: Path) -> None:
        """Write a picture."""
        if picture.draw == VERIFICATION:
            draw_verification(REPOSITORY / picture.reads[0], self.folder / "drawn.png")
            save_still(Image.open(self.folder / "drawn.png"), picture, target)
            return
        for run in picture.runs:
            if run not in self._done:
                self.gsolve(run)
                self._done.add(run)
        drawn = self._draw(picture)
        if target.suffix == ".gif":
            save_animation(drawn, picture, target)
        else:
            save_still(Image.open(drawn), picture, target)

    def _draw(self, picture: Picture) -> Path:
        verb = picture.draw.split()[0]
        if verb == "export":
            drawn = self.folder / "drawn.gif"
            self.gsolve(f"{picture.draw} --animate {drawn} --seconds {picture.frames / 25} --force")
        elif verb == "report":
            page = self.folder / "drawn.html"
            self.gsolve(f"{picture.draw} -o {page} --force")
            drawn = photograph(page)
        else:
            drawn = self.folder / "drawn.png"
            self.gsolve(f"{picture.draw} -o {drawn} --force")
        return drawn

    def gsolve(self, line: str) -> None:
        """A command line of gsolve in the folder of results."""
        words = [str(REPOSITORY / word) if word.startswith(("decks/", "docs/")) else word for word in shlex.split(line)]
        if words[0] == "sweep":  # its table is written beside the study
            shutil.copytree(Path(words[1]).parent, self.folder / "study", dirs_exist_ok=True)
            words[1] = str(self.folder / "study" / Path(words[1]).name)
        done = self.call(words)
        if done.returncode:
            sys.exit(f"gsolve {line}\n{done.stdout}{done.stderr}")

    def call(self, words: list[str]) -> subprocess.CompletedProcess[str]:
        """What gsolve does there."""
        program = str(Path(sys.executable).with_name("gsolve"))
        return subprocess.run([program, *words], cwd=self.folder, capture_output=True, text=True, check=False)


def save_still(image: Image.Image, picture: Picture, target: Path) -> None:
    """A PNG with a palette; of an animation one picture of it."""
    if picture.at is not None:
        image.seek(round(picture.at * (getattr(image, "n_frames", 1) - 1)))
    still = resized(image, picture.width)
    still.quantize(palette=palette_of([still], picture.colours), dither=Image.Dither.NONE).save(target, optimize=True)


def save_animation(drawn: Path, picture: Picture, target: Path) -> None:
    """A GIF with one palette for all its pictures."""
    frames = [resized(frame, picture.width) for frame in ImageSequence.Iterator(Image.open(drawn))]
    palette = palette_of(frames[:: max(1, len(frames) // 4)], picture.colours)
    flat = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    pause = round(1000 * picture.seconds / len(flat))
    flat[0].save(target, save_all=True, append_images=flat[1:], duration=pause, loop=0, optimize=True, disposal=1)


def palette_of(images: list[Image.Image], colours: int) -> Image.Image:
    """White and the grey of text, and what serves all else, small things as well as large ones."""
    dots = np.concatenate([np.asarray(image).reshape(-1, 3) for image in images])
    found, counts = np.unique(dots // 8, axis=0, return_counts=True)
    found, counts = found[found.min(axis=1) < 31], counts[found.min(axis=1) < 31]  # without what is all but white
    often = np.repeat(found * 8 + 4, np.ceil(np.sqrt(counts)).astype(int), axis=0).astype(np.uint8)
    chosen = Image.fromarray(often[None]).quantize(colours - 2, kmeans=8, dither=Image.Dither.NONE).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette([255, 255, 255, 0x33, 0x33, 0x33, *chosen[: 3 * (colours - 2)]])
    return palette


def resized(image: Image.Image, width: int) -> Image.Image:
    """As wide as that, or as it is."""
    whole = Image.new("RGB", image.size, "white")
    whole.paste(image.convert("RGBA"), mask=image.convert("RGBA").getchannel("A"))
    if whole.width <= width:
        return whole
    return whole.resize((width, round(whole.height * width / whole.width)), Image.Resampling.LANCZOS)


def photograph(page: Path) -> Path:
    """The first screen of a page, by a browser without a window."""
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        sys.exit("a picture of a report takes Chromium, which is not installed")
    drawn = page.with_suffix(".png")
    options = ["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
    options += ["--hide-scrollbars", "--window-size=1200,900", "--virtual-time-budget=6000", f"--screenshot={drawn}"]
    subprocess.run([browser, *options, page.as_uri()], check=True, capture_output=True)
    return drawn


def draw_verification(page: Path, target: Path) -> None:
    """How far off the published problems of docs/verification.md are, and the example decks of what is allowed."""
    from matplotlib.figure import Figure

    text = page.read_text(encoding="utf-8")
    published, examples = (
        re.findall(r"^\| (?!problem|example|---)(.*) \|$", part, re.M) for part in text.split("## ")[1:3]
    )
    figure = Figure(figsize=(12.0, 6.2), dpi=100, layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    names = [
        f"{row.split(' | ')[0].split(', steps')[0].split(', one')[0].split(', auto')[0]}: {row.split(' | ')[1]}"
        for row in published
    ]
    errors = [_error(row.split(" | ")[3]) for row in published]
    left.hlines(range(len(names)), GAP, errors, color="#b8bcc2")
    left.plot(errors, range(len(names)), "o", color="#4477aa")
    left.set(
        yticks=range(len(names)), xscale="log", xlim=(GAP, 1.0), xlabel="off by, relative", title="Published problems"
    )
    left.set_yticklabels([name if len(name) <= 66 else name[:65] + "…" for name in names], fontsize=8)
    left.invert_yaxis()
    pairs = [(_error(row.split(" | ")[3]), _error(row.split(" | ")[4])) for row in examples]
    right.plot(*zip(*pairs, strict=True), "o", color="#4477aa", alpha=0.6)
    right.plot([GAP, 1.0], [GAP, 1.0], "--", color="#3c3c3c")
    right.text(3e-3, 8e-3, "off by as much as allowed", rotation=45, ha="right", fontsize=8, rotation_mode="anchor")
    right.set(xscale="log", yscale="log", xlim=(GAP, 1.0), ylim=(GAP, 1.0), aspect="equal")
    right.set(xlabel="allowed, relative", ylabel="off by, relative", title="Example decks")
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.savefig(target)


def _error(cell: str) -> float:
    """A number of the page; round-off is drawn at the edge."""
    return GAP if cell == ROUND_OFF else max(GAP, float(cell))


def difference(one: Path, two: Path) -> float:
    """The largest difference of two pictures between means of squares of some dots, of 255; of other sizes infinite.

    Another processor moves edges by parts of a dot, which a reader does not see.
    """
    first, second = Image.open(one), Image.open(two)
    counts = getattr(first, "n_frames", 1), getattr(second, "n_frames", 1)
    if first.size != second.size or counts[0] != counts[1]:
        return math.inf
    largest = 0.0
    for k in range(counts[0]):
        first.seek(k)
        second.seek(k)
        largest = max(largest, float(np.abs(_blocks(first) - _blocks(second)).max()))
    return largest


def _blocks(image: Image.Image) -> np.ndarray:
    grey = np.asarray(image.convert("RGB"), dtype=float)
    rows, columns = (size // BLOCK * BLOCK for size in grey.shape[:2])
    return grey[:rows, :columns].reshape(rows // BLOCK, BLOCK, columns // BLOCK, BLOCK, 3).mean(axis=(1, 3))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("picture", nargs="*", help="file of docs/pictures")
    parser.add_argument("--outdated", action="store_true", help="those whose deck or command has changed")
    parser.add_argument("--check", action="store_true", help="write nothing here; say which ones look different")
    options = parser.parse_args()
    recipes = pictures()
    chosen = options.picture or (outdated() if options.outdated else list(recipes))
    if unknown := [name for name in chosen if name not in recipes]:
        sys.exit(f"not in {RECIPES.relative_to(REPOSITORY)}: {', '.join(unknown)}")
    if drawn_by() != drawing_here() and (options.check or set(chosen) < set(recipes)):
        sys.exit(
            f"the pictures were drawn by matplotlib {drawn_by()}, here is {drawing_here()}: "
            "install the former, or make all of them anew without names"
        )
    different = []
    with tempfile.TemporaryDirectory() as folder:
        studio = Studio(Path(folder))
        for name in chosen:
            picture = recipes[name]
            target = Path(folder) / f"new_{name}" if options.check else picture.place
            studio.make(picture, target)
            if options.check:
                change = difference(picture.place, target) if picture.place.exists() else math.inf
                different += [name] if change > SEEN else []
                print(
                    f"{name}: {'looks different' if change > SEEN else 'as it was'} ({change:.0f} of 255)", flush=True
                )
            else:
                print(f"{name}: {target.stat().st_size // 1024} kB", flush=True)
                note({**made(), name: picture.digest()})
    if different:
        sys.exit("make anew: python docs/site/pictures.py " + " ".join(different))


if __name__ == "__main__":
    main()
