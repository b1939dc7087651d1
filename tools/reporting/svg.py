"""Drawings that can stand inside a page: SVG without references to anything outside it.

Equal drawings give equal text, whenever they are made.
"""

import io
import re
import xml.etree.ElementTree as ElementTree

import matplotlib
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

FONT = "DejaVu Sans"
PAGE_FONT = re.compile(r"'" + FONT + r"'(, *[^;]*)?")
DIGITS = re.compile(r"(\.\d\d)\d+")   # beyond hundredths of a point nobody sees anything
ENLARGE = 1.35
REFERENCE = re.compile(r"url\(#([^)]*)\)")

STYLE = {
    "svg.fonttype": "none",          # text stays text: it can be searched and read aloud
    "svg.hashsalt": "tandem",        # names of parts do not change from run to run
    "text.parse_math": False,        # a log may hold any character
    "font.family": FONT, "font.size": 9.5,
    "text.color": "#1d2733", "axes.labelcolor": "#1d2733", "axes.edgecolor": "#8796a5",
    "xtick.color": "#3c4a58", "ytick.color": "#1d2733",
    "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True,
    "axes.titlesize": 10.5, "axes.titleweight": "bold", "axes.titlelocation": "left",
    "grid.color": "#dde3e9", "grid.linewidth": 0.8, "legend.frameon": False,
    "figure.facecolor": "none", "axes.facecolor": "none", "hatch.linewidth": 0.6,
}


def style():
    """Context in which all figures are made and written."""
    return matplotlib.rc_context(STYLE)


def figure(width, height):
    """An empty figure of that many inches."""
    made = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasSVG(made)
    return made


def local_name(name):
    return name.rpartition("}")[2]


def clean(element, prefix):
    """Takes namespaces away, and gives the parts of this drawing names of their own."""
    for child in list(element):
        if local_name(child.tag) in ("metadata", "style"):
            element.remove(child)
        else:
            clean(child, prefix)
    element.tag = local_name(element.tag)
    attributes = {local_name(name): value for name, value in element.attrib.items()}
    for name, value in attributes.items():
        if name == "id":
            value = prefix + value
        elif name == "href" and value.startswith("#"):
            value = "#" + prefix + value[1:]
        value = REFERENCE.sub(rf"url(#{prefix}\1)", value)
        value = PAGE_FONT.sub("sans-serif", value)
        attributes[name] = value if name in ("id", "href") else DIGITS.sub(r"\1", value)
    element.attrib.clear()
    element.attrib.update(attributes)
    if element.text and not element.text.strip():
        element.text = None
    element.tail = "\n" if element.tag == "g" else None


def inline(text, prefix, title):
    """An SVG document as an element for HTML, with a title for those who do not see it."""
    root = ElementTree.fromstring(text)
    for group in root.iter():
        # Only names that something refers to are kept.
        if local_name(group.tag) == "g":
            group.attrib.pop("id", None)
    clean(root, prefix)
    width = root.get("width", "")
    for name in ("version", "height", "width"):
        root.attrib.pop(name, None)
    root.set("role", "img")
    root.set("aria-label", title)
    # A little larger than drawn where there is room, else as wide as the screen.
    if re.fullmatch(r"[\d.]+(pt)?", width):
        root.set("style", f"max-width:{float(width.rstrip('pt')) * ENLARGE:.0f}px")
    return ElementTree.tostring(root, encoding="unicode")


def render(made, prefix, title):
    """The element of a figure."""
    file = io.StringIO()
    made.savefig(file, format="svg", metadata={"Date": None})
    return inline(file.getvalue(), prefix, title)
