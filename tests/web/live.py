"""The dashboard of a demo that runs: what it shows is what the API says, what it foretells happens, and it sees what becomes of a
cluster. Both dialects; the tests of tests/web/run whose names begin with "live"."""
import collections
import concurrent.futures
import contextlib
import json
import os
import re
import threading

import live_demo
from browser import page_of
from checks import PAGES, check, check_speed, look_at
from live_demo import GPU, wait_for

DIALECTS = ("volcano", "kai")
LATEST = 15  # seconds for what has to be seen soon
RECOVERED = 60  # seconds: pods of a lost node are given up after ten

# Everything runs or waits for ever, so that what is shown can be compared with what is told. 32 of 48 GPUs are in use.
STILL = """
nodes: 12
nodesPerRack: 4
racksPerZone: 2
pools: [{name: gpu, cpu: 32, memoryGi: 128, gpus: 4}]
queues:
- {name: all, share: 1}
- {name: team, parent: all, share: 0.75}
- {name: guests, parent: all, share: 0.25}
jobs:
- {name: gang, queue: team, pods: 3, cpu: 8, memoryGi: 16, gpus: 4}
- {name: near, queue: team, pods: 2, cpu: 8, memoryGi: 16, gpus: 4, rack: required}
- {name: serve, queue: guests, count: 3, pods: 2, least: 1, cpu: 4, memoryGi: 8, gpus: 2}
- {name: too-large, queue: team, cpu: 4, memoryGi: 8, gpus: 5}
- {name: too-many, queue: team, at: 2, pods: 6, cpu: 4, memoryGi: 8, gpus: 4}
"""
RUNNING, WAITING = 5, 2

# Guests hold everything, of which the team deserves three quarters and gets back what it asks for.
LENT = """
nodes: 6
nodesPerRack: 3
racksPerZone: 2
pools: [{name: gpu, cpu: 32, memoryGi: 128, gpus: 4}]
queues:
- {name: all, share: 1}
- {name: team, parent: all, share: 0.75}
- {name: guests, parent: all, share: 0.25}
jobs:
- {name: fill, queue: guests, pods: 6, least: 1, cpu: 4, memoryGi: 8, gpus: 4}
"""
LIMIT = 20  # GPUs of the team
LISTENERS = 64  # to the events of a scheduler, at most

# As many as the dashboard promises to bear.
LARGE = """
nodes: 5000
nodesPerRack: 25
racksPerZone: 20
pools: [{name: gpu, cpu: 96, memoryGi: 512, gpus: 8}]
queues:
- {name: all, share: 1}
- {name: ads, parent: all, share: 0.5}
- {name: web, parent: all, share: 0.5}
jobs:
- {name: train, queue: ads, count: 5000, cpu: 4, memoryGi: 8, gpus: 2}
- {name: serve, queue: web, count: 3000, cpu: 4, memoryGi: 8, gpus: 4}
- {name: huge, queue: ads, count: 2000, cpu: 4, memoryGi: 8, gpus: 16}
"""


@contextlib.contextmanager
def still_demo(dialect):
    """A demo in which nothing happens any more."""
    with live_demo.demo_of(os.environ["MUSTER"], dialect, scenario=STILL) as demo:
        wait_for_states(demo, running=RUNNING, waiting=WAITING)
        yield demo


def wait_for_states(demo, patience=live_demo.PATIENCE, **wanted):
    def states():
        return dict(collections.Counter(job["state"] for job in demo.jobs().values()))
    try:
        wait_for("jobs by state", lambda: states() == wanted, patience)
    except AssertionError:
        same(states(), wanted, "jobs by state before anything is compared")


@contextlib.contextmanager
def still_page(chromium, dialect):
    """A page on such a demo; whatever goes wrong in its console fails the test."""
    with still_demo(dialect) as demo, page_of(chromium, demo.address) as page:
        yield demo, page
        check(not page.wrong, "in the console:\n" + "\n".join(page.wrong))


def same(shown, told, what):
    check(shown == told, f"{what}: there is {shown!r}, and not {told!r}")


def amount(resource, value):
    """As the dashboard writes amounts."""
    if value is None:
        return "–"
    if resource != "memory" or value == 0:
        return f"{value:,.0f}" if value == int(value) else f"{value:.3g}"
    units = ["B", "KiB", "MiB", "GiB", "TiB"]
    while value >= 1024 and len(units) > 1:
        value, units = value / 1024, units[1:]
    value *= 1 + 1e-12  # a half is rounded up, also where it is a little less than one
    return f"{value:.0f} {units[0]}" if value >= 100 else f"{float(f'{value:.3g}'):g} {units[0]}"


def gpu_of(things):
    """How a view calls GPUs: Volcano's queues and all nodes by the name of the device, KAI's queues by their own."""
    return GPU if any(GPU in thing["resources"] for thing in things) else "gpu"


def settled(page, selector, read, told, what):
    """What is read from the page must be what is told, soon: the page may be a second behind."""
    try:
        wait_for(what, lambda: read(page.page.query_selector_all(selector)) == told, LATEST)
    except AssertionError:
        same(read(page.page.query_selector_all(selector)), told, what)


def cells(rows):
    """The texts of the cells of each row."""
    return [[cell.inner_text().strip() for cell in row.query_selector_all(":scope > *")] for row in rows]


def overview_figures(demo, page):
    jobs, nodes = demo.tells("jobs")["jobs"], demo.tells("nodes")["nodes"]
    page.open("")
    for state in ("waiting", "pipelined", "partial", "placed", "running", "ending", "finished"):
        told = sum(job["state"] == state for job in jobs)
        same(page.page.inner_text(f".job-states a[href='#/jobs?state={state}'] b"), str(told), f"jobs that are {state} on the overview")
    figures = dict(page.page.eval_on_selector_all(".figure", "all => all.map(one => one.innerText.split('\\n').slice(0, 2))"))
    sums = {key: sum(node["resources"][GPU][key] for node in nodes) for key in ("used", "allocatable", "idle")}
    same(figures["In use"], f"{100 * sums['used'] / sums['allocatable']:.0f} %", "GPUs in use on the overview")
    check(f"{sums['used']} of {sums['allocatable']}" in page.text(".figures"), f"{sums} is not in {page.text('.figures')!r}")
    same(figures["Free"], str(sums["idle"]), "free GPUs on the overview")
    same(figures["Nodes"], str(len(nodes)), "nodes on the overview")
    pieces = sum(node["resources"][GPU]["idle"] for node in nodes if node["resources"][GPU]["used"] > 0)
    same(figures["Free in pieces"], f"{100 * pieces / sums['idle']:.0f} %" if sums["idle"] else "–", "GPUs that are free in pieces")
    queues = demo.tells("queues")["queues"]
    gpu = gpu_of(queues)
    told = {queue["queue"]: queue["resources"].get(gpu, {}) for queue in queues}
    shown = dict(cells_of_queues(page))
    same(sorted(shown), sorted(told), "queues on the overview")
    for name, figures in told.items():
        if figures:
            most = figures.get("deserved", figures.get("fair_share"))
            same(shown[name], f"{figures['allocated']:,} / {most:,}", f"GPUs of queue {name} on the overview")
    decided = demo.tells("decisions")["decisions"]
    binds, evictions = (sum(one["kind"] == kind for one in decided) for kind in ("bind", "evict"))
    line = f"{binds} pods bound and {evictions} evicted"
    check(line in page.text(".minutes"), f"{line!r} is not on the overview: {page.text('.minutes')!r}")


def cells_of_queues(page):
    rows = page.page.query_selector_all(".card .queues li")
    return [(row.query_selector(".queue-name a").inner_text(), row.query_selector(".queue-figures").inner_text()) for row in rows]


def job_figures(demo, page):
    page.open("jobs")
    told = demo.jobs()
    order = ["waiting", "pipelined", "partial", "placed", "running", "ending", "finished"]
    expected = [[named(job), job["state"], job["queue"], str(job.get("position", "")), f"{job['pods']['placed']}/{job['pods']['total']}",
                 job["reason"]["text"]] for job in sorted(told.values(), key=lambda job: (order.index(job["state"]), job["job"]))]
    settled(page, ".space .row", lambda rows: [row[:4] + row[5:] for row in cells(rows)], expected, "the table of jobs")
    for name, job in told.items():
        explained_job(demo, page, name, job)


def named(job):
    """A job as the table of jobs calls it: in a second line by its workload, where that has another name."""
    workload = job.get("workload", "")
    return job["job"] if workload.partition("/")[2] in ("", job["job"].partition("/")[2]) else f"{job['job']}\n{workload}"


def explained_job(demo, page, name, listed):
    """The page of a job says what the API explains."""
    told = demo.tells(f"jobs/{name}")
    page.open(f"jobs/{name}", ".verdict")
    same(page.text(".heading .state"), listed["state"], f"state of {name}")
    workload = named(told).partition("\n")[2]
    same(page.text(".heading .workload"), f"Workload: {workload}" if workload else "", f"the workload of {name}")
    verdict = page.text(".verdict").lower()
    for part in (told["reason"]["text"], told["reason"]["hint"]):
        check(part.lower() in verdict, f"{name}: {part!r} is not in its verdict {verdict!r}")
    for kind in ("placed", "pending"):
        if told["pods"][kind]:
            shown = page.text(f".verdict .legend li:has([data-part={kind}]) b")
            same(shown, str(told["pods"][kind]), f"pods of {name} that are {kind}")
    for one in told["refusals"]["reasons"]:
        line = f"{one['nodes']} of {told['refusals']['nodes']}"
        check(line in page.text() and one["reason"] in page.text(), f"{name}: {one['reason']!r} on {line} nodes is not on its page")
    for resource, needs in (told["needs"] if listed["state"] == "waiting" else {}).items():
        row = [resource, *(amount(resource, needs.get(key)) for key in ("missing", "free", "total"))]
        check(row in cells(page.page.query_selector_all("table.plain tbody tr")), f"{name}: {row} is not in the table of what it needs")
    standing_of_job(page, name, told)
    told_timeline(demo, page, name)
    if listed["state"] == "waiting":
        found_changes(demo, page, name)
    if told["nodes"]:
        pods = sum(told["nodes"].values())
        check(page.text(".heat-line").startswith(f"{pods} pod"), f"{name}: {pods} pods are not on its map: {page.text('.heat-line')!r}")


def standing_of_job(page, name, told):
    """Who is ahead of it, the node that lacks least with who holds it, and evictions."""
    ahead = [[one["job"], one["state"]] for one in told["queue"]["ahead"][:20]]
    shown = [[link.inner_text() for link in row.query_selector_all("a, .state")] for row in page.page.query_selector_all(".ahead li")]
    same(shown, ahead, f"who is ahead of {name}")
    closest = told.get("closest_node")
    if closest:
        card = page.text(".card:has(h3:text('The closest node'))")
        lines = [f"The closest node: {closest['node']}"]
        lines += [f"{resource}: {amount(resource, of['asked'])} asked, {amount(resource, of['free'])} free"
                  for resource, of in closest["lacks"].items()]
        lines += list(closest["held_by"])
        for line in lines:
            check(line in card, f"{name}: {line!r} is not said of the closest node:\n{card}")
    for one in told.get("made_way", []):
        line = f"{one['pod']}, by {one['rule']}: {one['why']}"
        check(line in page.text(), f"{name}: {line!r} is not among its evictions")
    for one in told.get("evicted", []):
        line = f"{one['pod']}, by {one['rule']}: {why_evicted(one)}"
        check(line in page.text(), f"{name}: {line!r} is not among its evictions")


def told_timeline(demo, page, name):
    def told():
        return [" ".join(event["text"].split()) for event in demo.tells(f"timelines/{name}")["events"]]

    def shown():
        return [" ".join(item.inner_text().split()) for item in page.page.query_selector_all(".changes li span:last-child")]
    try:
        wait_for("timeline", lambda: shown() == told(), LATEST)
    except AssertionError:
        same(shown(), told(), f"the timeline of {name}")
    check(told() or demo.jobs()[name]["state"] != "running", f"nothing is told of the life of {name}, which runs")


def why_evicted(one):
    """For whom and why, as the dashboard says it."""
    whom = ""
    if one.get("for_job") and not one.get("why", "").startswith("for "):
        whom = f"for {one['for_job']}" + (f" ({one['for_pod']})" if one.get("for_pod") else "")
    return ": ".join(part for part in (whom, one.get("why", "")) if part)


def found_changes(demo, page, name):
    """What would make it fit is what the API finds."""
    told = [change["text"] for change in demo.tells(f"jobs/{name}?fits_if")["fits_if"]]
    page.page.click(".fits button")
    page.page.wait_for_selector(".fits:not([aria-busy]) [role=status] > *")
    shown = [item.inner_text() for item in page.page.query_selector_all(".fits li")]
    same(shown, told, f"changes that would make {name} fit")


def queue_figures(demo, page):
    queues = demo.tells("queues")["queues"]
    held = {queue["queue"]: queue["resources"].get(gpu_of(queues), {}).get("allocated", 0) for queue in queues}
    same(held["all"], held["team"] + held["guests"], "GPUs of queue all, and of those below it together")
    for resource in (gpu_of(queues), "cpu", "memory"):
        page.open(f"queues?queue-resource={resource}")
        page.page.select_option(".choice select", resource)
        for queue in queues:
            figures = queue["resources"].get(resource, {})
            row = f".queue-table tr:has(a[href='#/jobs?queue={queue['queue']}']) "
            deserves = "Deserves" if demo.dialect == "volcano" else "Quota"
            for title, key in (("Holds", "allocated"), ("Asks for", "requested"), ("Fair share", "fair_share"), (deserves, "deserved"),
                               ("May hold", "limit")):
                if not any(key in other["resources"].get(resource, {}) for other in queues):
                    check(not page.page.query_selector(f"{row} td[data-title='{title}']"), f"{title} of {resource}, which nobody tells")
                    continue
                told = amount(resource, figures.get(key))
                if key == "limit" and figures.get("limit_of"):
                    told += f" ({figures['limit_of']})"
                same(page.text(f"{row} td[data-title='{title}']"), told, f"{title} {resource} of queue {queue['queue']}")


def node_figures(demo, page):
    page.open("nodes")
    nodes = demo.tells("nodes")["nodes"]

    def row(node):
        of = node["resources"]
        used = [f"{amount(name, of[name]['used'])} / {amount(name, of[name]['allocatable'])}" for name in (GPU, "cpu", "memory")]
        return [node["node"], " / ".join(node["domains"]), str(node["pods"]), *used, ""]
    settled(page, ".space .row", cells, [row(node) for node in nodes], "the table of nodes")
    busiest = max(nodes, key=lambda node: node["pods"])["node"]
    told = demo.tells(f"nodes/{busiest}")
    page.open(f"nodes/{busiest}")
    rows = {one[0]: one[1:5] for one in cells(page.page.query_selector_all("table.plain tbody tr"))}
    keys = ("allocatable", "used", "idle", "releasing")
    expected = {name: [amount(name, of[key]) for key in keys] for name, of in told["resources"].items()}
    same(rows, expected, f"resources of node {busiest}")
    for pod in told["pod_names"]:
        check(f"{pod['pod']} of {pod['job']}" in page.text(), f"pod {pod['pod']} is not on the page of node {busiest}")


def device_figures(demo, page, node):
    """The GPUs of a node that pods share: how much of each is in use, and by whom."""
    told = [[f"{one['device']} {one['resource']}", f"{100 * one['used']:.0f} % in use by {', '.join(one['pods'])}"]
            for one in demo.tells(f"nodes/{node}")["devices"]]
    page.open(f"nodes/{node}", ".devices li")
    settled(page, ".devices li", lambda rows: [row.inner_text().split("\n") for row in rows], told, f"shared devices of {node}")
    return told


def decision_figures(demo, page):
    page.open("decisions")
    told = demo.tells("decisions")["decisions"]
    check(page.text(".table-count").startswith(f"{len(told)} decisions"), f"{len(told)} decisions: {page.text('.table-count')!r}")
    expected = [[one["pod"], one["kind"], one["node"], one["rule"], f"{one['cycle']:,}", why_evicted(one)] for one in told]
    settled(page, ".space .row", lambda rows: [row[:2] + row[3:7] for row in cells(rows)], expected, "the table of decisions")


def cycle_figures(demo, page):
    """Cycles go on while they are looked at: those that are on the page must be among those that are told, with their figures."""
    page.open("cycles", ".space .row")
    rows = page.page.eval_on_selector_all(".space .row", "rows => rows.map(row => [...row.children].map(cell => cell.innerText.trim()))")
    told = {f"{one['cycle']:,}": one for one in demo.tells("cycles")["cycles"]}
    check(len(rows) > 3, f"only {len(rows)} cycles are on the page")
    for cycle, _, took, binds, evictions, phases in rows:
        check(cycle in told, f"cycle {cycle} is on the page, and not told")
        same([binds, evictions], [str(told[cycle]["binds"]), str(told[cycle]["evictions"])], f"binds and evictions of cycle {cycle}")
        seconds = told[cycle]["seconds"]
        check(abs(seconds_of(took) - seconds) <= 0.006 * seconds, f"cycle {cycle} took {seconds} s, and the page says {took}")
        longest = max(told[cycle]["phases"], key=told[cycle]["phases"].get)
        check(phases.startswith(longest), f"cycle {cycle} took longest to {longest}, and the page says {phases!r}")


def seconds_of(text):
    """"3.97 ms" as seconds."""
    value, unit = text.split()
    return float(value.replace(",", "")) * {"µs": 1e-6, "ms": 1e-3, "s": 1}[unit]


def configuration_figures(demo, page):
    page.open("configuration")
    told = demo.tells("configuration")
    cards = page.page.query_selector_all(".stacks > .card")
    shown = {card.query_selector("h2").inner_text(): cells(card.query_selector_all("tbody tr")) for card in cards}
    for section in told["sections"]:
        rows = [[key["key"], "none" if key["value"] == "" else text_of(key["value"]), key["from"], meaning_of(key)] for key in section["keys"]]
        same(shown.get(section["name"], [["is missing"]]), rows, f"keys of {section['name']} in the configuration")
    check(demo.tells("state")["config_hash"] in page.text(), "the hash of the configuration is not on its page")


def meaning_of(key):
    usual = text_of(key["default"]) if "default" in key else text_of(key["value"])
    return key["meaning"] + ("" if usual == text_of(key["value"]) else f" Without it: {usual}.")


def text_of(value):
    return value if isinstance(value, str) else json.dumps(value)


def figures(dialect):
    """Every page shows what the API says; on the page of each job, why it waits."""
    def run(chromium):
        with still_page(chromium, dialect) as (demo, page):
            pages = (overview_figures, job_figures, queue_figures, node_figures, decision_figures, cycle_figures, configuration_figures)
            for look in pages:
                look(demo, page)
            shown = int(page.text("#live").split(",")[0].removeprefix("cycle ").replace(",", ""))
            check(0 < shown <= demo.tells("state")["cycle"], f"the page shows cycle {shown}, which has not been")
    return run


def looks(dialect):
    """As look_at; and once more with the content policy in force, under which tests can add no scripts."""
    def run(chromium):
        with still_demo(dialect) as demo:
            paths = [*PAGES, "?view=room", "jobs/team/too-large", "jobs/team/gang", f"nodes/{demo.tells('nodes')['nodes'][0]['node']}"]
            look_at(chromium, demo.address, paths)
            with page_of(chromium, demo.address, bypass_csp=False) as page:
                for path in paths:
                    page.open(path)
                check(not page.wrong, "in the console, with the content policy in force:\n" + "\n".join(page.wrong))
    return run


def asked(page, objects):
    """What the page answers: its verdict, and how many pods would go to which node."""
    page.open("whatif")
    page.page.fill("#what-if-text", "\n---\n".join(json.dumps(item) for item in objects))
    page.page.click("text=Would it start?")
    # The answer to an earlier question stays until there is this one.
    page.page.wait_for_selector(".asked-and-told:has(button.primary:not([aria-disabled])) .verdict", timeout=30000)
    places = {}
    for row in page.page.query_selector_all(".card:has(h2:text('Where it would go')) .bar-list li"):
        places[row.query_selector(".bar-label").inner_text()] = int(row.query_selector(".bar-text").inner_text().split()[0])
    return page.text(".verdict .why"), places


def any_pod(text):
    """Pods of one age are in the order of their uids, which nobody knows before they exist: which one of them is named is no matter."""
    return re.sub(r"(asked-too-much)-\d", r"\1-N", text)


def what_if(dialect):
    """What the page foretells of a job happens when the job is really submitted."""
    def run(chromium):
        with still_page(chromium, dialect) as (demo, page):
            starts = demo.gang("asked", "team", pods=2, gpus=4)
            verdict, places = asked(page, starts)
            same(verdict, "It would start at once.", "the verdict on two pods for whom there is room")
            check(sum(places.values()) == 2, f"the page does not say where two pods would go: {places}")
            demo.submit(starts)
            wait_for("team/asked runs, as was foretold", lambda: demo.jobs().get("team/asked", {}).get("state") == "running")
            nodes = [node for node, _ in demo.pods("team", "asked").values()]
            same(places, {node: nodes.count(node) for node in nodes}, "where the pods of team/asked were foretold and are")
            page.open("jobs/team/asked", ".verdict[data-state=running]")
            check(all(node in page.text() for node in nodes), f"{nodes} are not on the page of team/asked")

            waits = demo.gang("asked-too-much", "team", pods=4, gpus=4)
            verdict, places = asked(page, waits)
            same(verdict, "It would wait.", "the verdict on four pods for whom there is no room")
            foretold = page.text(".verdict p:nth-of-type(2)")
            demo.submit(waits)
            page.open("jobs/team/asked-too-much", ".verdict[data-state=waiting]")
            page.page.wait_for_timeout(2000)  # several cycles
            same(any_pod(page.text(".verdict .why")), any_pod(foretold), "why team/asked-too-much waits, as it happened and as foretold")
            bound = [node for node, _ in demo.pods("team", "asked-too-much").values() if node]
            check(not bound, f"team/asked-too-much was foretold to wait, and has pods on {bound}")
    return run


@contextlib.contextmanager
def lent_page(chromium, dialect):
    """A page on a demo in which guests hold all GPUs, and the team has a limit."""
    with live_demo.demo_of(os.environ["MUSTER"], dialect, scenario=LENT) as demo:
        wait_for_states(demo, running=1)
        wait_for("guests/fill runs on all nodes", lambda: all_run(demo, "guests", "fill", 6))
        demo.limit_queue("team", LIMIT)
        wait_for("the limit of queue team", lambda: limit_of(demo, "team") == LIMIT)
        with page_of(chromium, demo.address) as page:
            yield demo, page
            check(not page.wrong, "in the console:\n" + "\n".join(page.wrong))


def all_run(demo, namespace, group, count):
    """Only pods that run can be asked to go; those that are bound and have not begun can not."""
    return [phase for _, phase in demo.pods(namespace, group).values()] == ["Running"] * count


def pods_of(demo, name):
    """How many are placed, and how many there are."""
    pods = demo.jobs()[name]["pods"]
    return pods["placed"], pods["total"]


def limit_of(demo, name):
    queues = demo.tells("queues")["queues"]
    return next(queue["resources"].get(gpu_of(queues), {}).get("limit") for queue in queues if queue["queue"] == name)


def victims_on(page):
    rows = page.page.query_selector_all(".card:has(h2:text('Who would have to go')) li")
    return sorted(row.inner_text().split()[0] for row in rows)


def evictions(dialect):
    """The page foretells who would have to go. When the job is submitted just those go, and every page says so."""
    def run(chromium):
        with lent_page(chromium, dialect) as (demo, page):
            objects = demo.gang("wanted", "team", pods=2, gpus=4)
            verdict, places = asked(page, objects)
            same(verdict, "It would start when others have made way.", "the verdict on a job for which others have to go")
            foretold = victims_on(page)
            check(len(foretold) == 2, f"two pods have to go for it, and the page says {foretold}")
            demo.submit(objects)
            wait_for("team/wanted runs, as was foretold", lambda: demo.jobs().get("team/wanted", {}).get("state") == "running")
            evicted = [one for one in demo.tells("decisions")["decisions"] if one["kind"] == "evict"]
            same(sorted(one["pod"] for one in evicted), foretold, "who went for team/wanted, and who was foretold")
            nodes = [node for node, _ in demo.pods("team", "wanted").values()]
            same(places, {node: nodes.count(node) for node in nodes}, "where the pods of team/wanted were foretold and are")
            check(all(one["for_job"] == "team/wanted" for one in evicted), f"others were evicted, too: {evicted}")
            wait_for("guests/fill has new pods for those that went, which wait", lambda: pods_of(demo, "guests/fill") == (4, 6))
            for look in (overview_figures, job_figures, queue_figures, decision_figures):
                look(demo, page)
            page.open("jobs/team/wanted", ".changes")
            check("evicted from" in page.text(".changes"), f"its timeline tells of no eviction: {page.text('.changes')!r}")
    return run


def smallest_change(dialect):
    """A change that the page offers is made, and with it the job starts at once."""
    def run(chromium):
        with still_page(chromium, dialect) as (demo, page):
            objects = demo.gang("asked-many", "team", pods=5, gpus=4)
            verdict, _ = asked(page, objects)
            same(verdict, "It would wait.", "the verdict on five pods for whom there is no room")
            offered = [item.inner_text() for item in page.page.query_selector_all(".card:has(h3:text('It would start at once if')) h3 + ul li")]
            fewer = next((re.fullmatch(r"spec\.minMember were (\d+) and not 5", text) for text in offered if "spec.minMember" in text), None)
            check(fewer, f"no smaller gang is offered: {offered}")
            objects[0]["spec"]["minMember"] = int(fewer.group(1))
            same(asked(page, objects)[0], "It would start at once.", "the verdict with the change that was offered")
            demo.submit(objects)
            wait_for("team/asked-many starts, as was foretold",
                     lambda: sum(phase == "Running" for _, phase in demo.pods("team", "asked-many").values()) >= int(fewer.group(1)))
    return run


def node_lost(dialect):
    """A node fails: it is shown as not ready, and the gang that was on it runs again as a whole, all seen in the dashboard."""
    def run(chromium):
        with still_page(chromium, dialect) as (demo, page):
            page.open("jobs/team/gang", ".heat-line")
            before = page.text(".heat-line")
            lost = demo.pods("team", "gang")["team/gang-0"][0]
            check(before.startswith("3 pods on ") and lost in before, f"{lost} is not where the page says that the gang is: {before!r}")
            with page_of(chromium, demo.address) as other:
                other.open(f"nodes/{lost}")
                demo.annotate_node(lost, **{"sim.muster/down": "true"})
                other.page.wait_for_selector(".heading .tag:text('not ready')", timeout=LATEST * 1000)
                other.open("", ".legend:has-text('not ready')")
                check("1 not ready" in other.text(".figures"), f"the overview does not count it: {other.text('.figures')!r}")
                check(not other.wrong, "in the console:\n" + "\n".join(other.wrong))
            line = "document.querySelector('.heat-line').innerText"
            moved = f"document.querySelector('.verdict[data-state=running]') && !{line}.includes('{lost}')"
            page.page.wait_for_function(moved, timeout=RECOVERED * 1000)
            check(page.text(".heat-line").startswith("3 pods on "), f"the gang is not whole again: {page.text('.heat-line')!r}")
            nodes = sorted(node for node, _ in demo.pods("team", "gang").values())
            check(lost not in nodes and len(nodes) == 3, f"the page says that the gang has recovered, and it is on {nodes}")
            binds = page.page.locator(".changes li[data-kind=bind]")
            wait_for("a second bind in its timeline", lambda: binds.count() > 1, LATEST)
    return run


# As `kubectl create deployment web` makes it: its pods have their names, and its jobs those of uids.
DEPLOYMENT = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "default"}, "spec": {
    "selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [
        {"name": "main", "image": "registry.example/it", "resources": {"requests": {"cpu": "1"}}}]}}}}


def workload(dialect):
    """Who looks for what he has submitted finds it under the name that he knows, in the table and on the page of its job."""
    def run(chromium):
        with still_page(chromium, dialect) as (demo, page):
            demo.submit([DEPLOYMENT])
            page.open("jobs?search=web")
            page.page.wait_for_selector(".space .row[aria-rowindex='2'] .state[data-state=running]", timeout=LATEST * 1000)
            job = next(job for job in demo.jobs().values() if job["job"].startswith("default/"))
            check(re.fullmatch(r"(ReplicaSet|Pod)/web-\w+(-\w+)?", job["workload"]), f"what was submitted is told as {job}")
            settled(page, ".space .row > :first-child", lambda cells: [cell.inner_text() for cell in cells], [named(job)], "who is found")
            explained_job(demo, page, job["job"], job)
    return run


def shared_devices(chromium):
    """Pods on shared GPUs, as KAI's binder leaves them, which is no part of a demo: the page of their node says who has how much of
    which, and sees that one comes."""
    with still_page(chromium, "kai") as (demo, page):
        node = next(node["node"] for node in demo.tells("nodes")["nodes"] if node["resources"][GPU]["used"] == 0)
        for name, device, share in (("half", "a1b2", 0.5), ("quarter", "a1b2", 0.25), ("most", "c3d4", 0.75)):
            demo.submit(demo.sharer(name, "guests", node, device, share))
        for name in ("half", "quarter", "most"):
            wait_for(f"guests/{name} runs", lambda: demo.jobs().get(f"guests/{name}", {}).get("state") == "running")
        same(device_figures(demo, page, node), [["a1b2 nvidia.com/gpu", "75 % in use by guests/half-0, guests/quarter-0"],
                                                ["c3d4 nvidia.com/gpu", "75 % in use by guests/most-0"]], "who shares which GPU")
        demo.submit(demo.sharer("rest", "guests", node, "c3d4", 0.25))
        page.page.wait_for_selector(".devices li:has-text('100 % in use by guests/most-0, guests/rest-0')", timeout=LATEST * 1000)
        node_figures(demo, page)


def asked_together(_):
    """As many pages as may listen to events, each with a job that waits, ask when the same cycle is over: nobody is refused."""
    with still_demo("volcano") as demo, concurrent.futures.ThreadPoolExecutor(LISTENERS) as pages:
        for told in pages.map(demo.tells, ["jobs/team/too-many"] * LISTENERS):
            same(told["state"], "waiting", "the job that all ask for")


def large(dialect):
    """5,000 nodes and 10,000 jobs of a demo that runs: every job is decided on, and the page stays quick."""
    def run(chromium):
        with live_demo.demo_of(os.environ["MUSTER"], dialect, scenario=LARGE) as demo:
            wait_for_states(demo, patience=180, running=8000, waiting=2000)
            with page_of(chromium, demo.address) as page:
                page.open("jobs")
                same(page.text(".table-count"), "10,000 jobs", "jobs of the large cluster")
                page.open("nodes")
                same(page.text(".table-count"), "5,000 nodes", "nodes of the large cluster")
                with changing(demo):
                    print("   ", check_speed(page))
                check(not page.wrong, "in the console:\n" + "\n".join(page.wrong))
    return run


@contextlib.contextmanager
def changing(demo):
    """Jobs come one after the other, each of which is decided on and changes every list, until the end of the block."""
    ended, came = threading.Event(), []

    def submit():
        while not ended.wait(0.1):
            name = f"news-{len(came)}"
            demo.submit(demo.gang(name, "web", pods=1, gpus=1))
            came.append(name)
    thread = threading.Thread(target=submit)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
    check(len(came) > 3, f"only {len(came)} jobs came while it was measured")


TESTS = {f"{name}_{dialect}": test(dialect) for dialect in DIALECTS for name, test in
         (("live_figures", figures), ("live_looks", looks), ("live_what_if", what_if), ("live_node_lost", node_lost),
          ("live_evictions", evictions), ("live_smallest_change", smallest_change), ("live_workload", workload),
          ("live_large", large))}
TESTS |= {"live_asked_together": asked_together, "live_devices_kai": shared_devices}
