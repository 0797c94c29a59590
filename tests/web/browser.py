"""A browser that keeps what a page does wrong: errors in the console, and requests to anybody but the server of the page."""
import contextlib
import functools
import importlib.resources
import os

CHROMIUM = os.environ.get("MUSTER_CHROMIUM", "/usr/bin/chromium")
DESKTOP = {"width": 1280, "height": 860}
PHONE = {"width": 390, "height": 844}


@functools.cache
def axe_source():
    """The text of axe-core, as a package of Python brings it; it is no part of the dashboard."""
    return importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text()


class Page:
    def __init__(self, page, address):
        self.page, self.address, self.wrong = page, address, []
        page.on("console", lambda message: message.type in ("error", "warning") and self.wrong.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.wrong.append(f"uncaught: {error}"))
        page.on("request", self._on_request)
        self.asked = []

    def _on_request(self, request):
        if request.url.startswith(self.address):
            self.asked.append(request.url.removeprefix(self.address))
        elif not request.url.startswith("data:"):
            self.wrong.append(f"asks somebody else: {request.url}")

    def open(self, path, until="main h1"):
        self.page.goto(f"{self.address}/#/{path}")
        # By selectors: where the content policy is in force a function cannot be waited for, which needs eval.
        self.page.wait_for_selector(f'main[data-path="{path.partition("?")[0]}"]', state="attached")
        self.page.wait_for_selector(until)
        self.page.wait_for_selector("main .waiting", state="detached", timeout=15000)
        return self

    def pardon(self, *words):
        """What a test has brought about itself is not wrong."""
        self.wrong[:] = [what for what in self.wrong if not any(word in what for word in words)]

    def text(self, selector="main"):
        return self.page.inner_text(selector)

    def axe_faults(self, source):
        """Serious and critical findings, one line each."""
        if not self.page.evaluate("'axe' in window"):  # pages are parts of one document, which keeps it
            self.page.evaluate(source)
        found = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        return [f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:160]}" for one in found if one["impact"] in ("serious", "critical")]

    def overflow(self):
        return self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


@contextlib.contextmanager
def browser():
    from playwright.sync_api import sync_playwright  # who only wants to know what is missing does without
    with sync_playwright() as playwright:
        names = "--host-resolver-rules=MAP evil.example 127.0.0.1"
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-lcd-text", names])
        yield chromium
        chromium.close()


@contextlib.contextmanager
def page_of(chromium, address, viewport=DESKTOP, colours="light", bypass_csp=True):
    # The policy of the page forbids scripts of others, also those of tests: the tests are let past it, the page's own rules stay.
    context = chromium.new_context(viewport=viewport, color_scheme=colours, bypass_csp=bypass_csp)
    try:
        yield Page(context.new_page(), address)
    finally:
        context.close()
