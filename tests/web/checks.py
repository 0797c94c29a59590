"""What is asked of the dashboard wherever its answers come from: how every page looks, and how fast a large cluster is."""
import math

from browser import PHONE, axe_source, page_of

PAGES = ["", "jobs", "queues", "nodes", "decisions", "cycles", "configuration", "whatif"]
SOON = 100  # milliseconds
ROUNDS = 3


def check(is_right, what):
    if not is_right:
        raise AssertionError(what)


def look_at(chromium, address, paths):
    """Every page in light, dark and on a phone: nothing in the console, nothing wider than the screen, no serious fault by axe."""
    faults = []
    for name, options in (("light", {}), ("dark", {"colours": "dark"}), ("phone", {"viewport": PHONE})):
        with page_of(chromium, address, **options) as page:
            for path in paths:
                page.open(path)
                faults += [f"{name} /{path}: {fault}" for fault in page.axe_faults(axe_source())]
                if page.overflow() > 0:
                    faults.append(f"{name} /{path}: {page.overflow()} pixels too wide")
            faults += [f"{name}: {wrong}" for wrong in page.wrong]
    check(not faults, "\n".join(faults))


TYPE_AND_WAIT = """async (text) => {
  const field = document.querySelector("input[type=search]");
  const start = performance.now();
  field.value = text;
  field.dispatchEvent(new Event("input"));
  await new Promise(requestAnimationFrame);
  document.querySelector(".table-box").getBoundingClientRect();
  return performance.now() - start;
}"""

SCROLL_AND_WAIT = """async (part) => {
  const table = document.querySelector(".virtual");
  const first = table.querySelector(".space .row")?.dataset.index;
  const start = performance.now();
  table.scrollTop = table.scrollHeight * part;
  await new Promise((done) => {
    const look = () => (table.querySelector(".space .row")?.dataset.index !== first ? done() : requestAnimationFrame(look));
    requestAnimationFrame(look);
  });
  return performance.now() - start;
}"""

REDRAW = """async (view) => {
  const choices = [...document.querySelectorAll(".choice")];
  const field = choices.find((label) => label.textContent.startsWith("Colour by")).querySelector("select");
  const start = performance.now();
  field.value = view;
  field.dispatchEvent(new Event("change"));
  await new Promise(requestAnimationFrame);
  document.querySelector(".heat-box").getBoundingClientRect();
  return performance.now() - start;
}"""


def nearly_all(times):
    """What nineteen of twenty actions did not exceed, of all kinds together."""
    numbers = sorted(number for found in times.values() for number in found)
    return numbers[math.ceil(0.95 * len(numbers)) - 1]


def measured(page):
    """Milliseconds of several filters, scrolls and recolourings each, until the next frame."""
    page.open("jobs")
    times = {"filter jobs": [page.page.evaluate(TYPE_AND_WAIT, text) for text in ("a", "ads", "ads 7", "", "99", "nvidia", "")]}
    times["scroll jobs"] = [page.page.evaluate(SCROLL_AND_WAIT, part) for part in (0.5, 0.1, 0.9, 0.3, 1, 0, 0.7)]
    page.open("nodes")
    times["filter nodes"] = [page.page.evaluate(TYPE_AND_WAIT, text) for text in ("1", "12", "rack-7", "gpu", "")]
    times["scroll nodes"] = [page.page.evaluate(SCROLL_AND_WAIT, part) for part in (0.5, 0.1, 0.9, 0.3, 1)]
    check(page.page.locator(".row").count() < 100, f"{page.page.locator('.row').count()} rows exist, most of which nobody sees")
    page.open("", ".heat-line")
    times["recolour the map"] = [page.page.evaluate(REDRAW, view) for view in ("room", "used", "room", "used", "room")]
    return times


def check_speed(page):
    """A large cluster is quick to work with: nineteen of twenty actions are seen in time, in the best of three rounds, since a machine
    does other things, too. What it took, the worst included, as a line."""
    best = None
    for _ in range(ROUNDS):
        best = min([measured(page), *([best] if best else [])], key=nearly_all)
        if nearly_all(best) <= SOON:
            break
        page.page.wait_for_timeout(2000)
    worst = ", ".join(f"{what} {max(found):.0f}" for what, found in best.items())
    line = f"nineteen of twenty within {nearly_all(best):.0f} ms; the worst in ms: {worst}"
    check(nearly_all(best) <= SOON, f"slower than {SOON} ms in the best of {ROUNDS} rounds: {line}")
    return line
