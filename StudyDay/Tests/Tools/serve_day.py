#!/usr/bin/env python3
"""A whole study day in a real browser, against the real server.

    python3 StudyDay/Tests/Tools/serve_day.py PROMILLE_SERVE [--pictures FOLDER]

Three people with a browser each: an owner at a desk, an operator with a phone whose clock is seven minutes
fast, and a participant with a phone. The owner arranges site, lab, session type and slot and invites the
others; the participant books; somebody waits for a place and gets it; the operator checks in, mixes a drink by
weight and takes readings, partly without a network; both correct one value, which is a conflict; the owner
settles it, signs the release, changes a setting, looks for one of fifty people, prints the report and revokes the
operator's access. On the way every page is held to: no error in the console, nothing wider than the screen,
no letters below 11 pixels, contrast of 4.5 in light and dark, a name for every control, and a thumb's size.

Then, on a study of its own, what goes wrong on a day: a tablet that is handed on with entries on it, which somebody else
settles, advice while a drink waits to be sent, a clock that is set in the middle of the day, wrong measures, a reading of
the wrong person, a drink entered twice, a session that is called off, a backup that is restored, names and notes of one long word.

At last, from an empty study, led by the hand: drinks in words and favourites, vital signs, r methods, the call board, and the
page of who runs the server. Instruments, the wall and automatic backups come last.

Needs Chromium and chromedriver (Debian: chromium, chromium-driver) and selenium; without them it says so.
"""

import argparse
import base64
import json
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid
from contextlib import closing, suppress
from datetime import datetime, timezone
from pathlib import Path

try:
    from selenium import webdriver
    from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    webdriver = None

PHONE, DESK = (390, 844), (1280, 900)
PATIENCE = 75
FAST_MINUTES = 7
# How far the corrected time of an entry may be from the true one, in seconds.
CLOCK_TOLERANCE = 2.0

# A device whose clock is fast, and can be set: clockAhead is in ms. With steadyAhead even its steady clock is wrong.
FAST_CLOCK = """
(() => { const True = Date, steady = performance.now.bind(performance);
  Object.assign(globalThis, {clockAhead: %d * 60000, steadyAhead: 0});
  globalThis.Date = class extends True {
    constructor(...parts) { parts.length ? super(...parts) : super(True.now() + clockAhead); }
    static now() { return True.now() + clockAhead; }
  };
  performance.now = () => steady() + steadyAhead;
})();
""" % FAST_MINUTES

# What is wrong with a page as it stands: sizes, contrast (WCAG 2, AA), names.
INSPECT = """
const problems = [];
const seen = e => { const b = e.getBoundingClientRect(); return b.width > 0 && b.height > 0
  && getComputedStyle(e).visibility === 'visible'; };
const numbers = c => { const m = c.match(/[\\d.]+/g).map(Number); return {rgb: m.slice(0, 3), a: m[3] ?? 1}; };
const light = ([r, g, b]) => { const f = v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  return .2126 * f(r) + .7152 * f(g) + .0722 * f(b); };
const ground = e => { for (; e; e = e.parentElement) { const c = numbers(getComputedStyle(e).backgroundColor);
  if (c.a > .9) return c.rgb; } return [255, 255, 255]; };
for (const e of document.querySelectorAll('body *')) {
  const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
  if (!own || !seen(e) || e.closest('noscript, title, desc, option, .skip')) continue;
  const style = getComputedStyle(e), size = parseFloat(style.fontSize);
  if (size < 11) problems.push(`letters of ${size} px: ${e.textContent.slice(0, 30)}`);
  const ink = numbers(e.closest('svg') ? style.fill : style.color).rgb;
  const [a, b] = [light(ink), light(ground(e))].sort((x, y) => y - x);
  const ratio = (a + .05) / (b + .05);
  const needed = size >= 24 || (size >= 18.66 && +style.fontWeight >= 700) ? 3 : 4.5;
  if (ratio < needed && !e.closest(':disabled')) problems.push(`contrast ${ratio.toFixed(2)}: ${e.textContent.slice(0, 30)}`);
}
for (const e of document.querySelectorAll('button, a[href], input, select, textarea')) {
  if (!seen(e)) continue;
  const name = e.getAttribute('aria-label') || e.textContent.trim() || [...(e.labels ?? [])].map(l => l.textContent).join('').trim();
  if (!name) problems.push(`no name: ${e.outerHTML.slice(0, 60)}`);
  const box = (e.type === 'checkbox' || e.type === 'radio' ? e.labels[0] : e).getBoundingClientRect();
  const least = e.classList.contains('small') ? 24 : 43.5;
  if (box.height < least && !e.closest('.skip') && !e.classList.contains('skip') && e.tagName !== 'A')
    problems.push(`${box.height} px high: ${name}`);
}
// What the keyboard comes to is not under a bar that stays.
const modal = document.querySelector('dialog[open]'), held = document.activeElement, place = [scrollX, scrollY];
for (const e of (modal ?? document).querySelectorAll('button, a[href], input, select, textarea, summary')) {
  if (!seen(e) || e.disabled || e.closest('.toast, .skip') || e.classList.contains('skip')) continue;
  e.focus();
  if (document.activeElement !== e) continue;
  const b = (e.type === 'radio' ? e.labels[0] : e).getBoundingClientRect();
  const there = document.elementFromPoint(b.x + b.width / 2, b.y + b.height / 2);
  const bar = there?.closest('#top, #next, .foot');
  if (bar && !bar.contains(e)) problems.push(`under a bar: ${e.getAttribute('aria-label') || e.textContent.trim() || e.name}`);
}
held?.focus?.({preventScroll: true});
scrollTo(...place);
const root = document.documentElement;
if (root.scrollWidth > innerWidth) problems.push(`page of ${root.scrollWidth} px in ${innerWidth}`);
if (document.querySelectorAll('h1').length !== 1) problems.push('not one h1');
const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
ids.filter((id, i) => ids.indexOf(id) !== i).forEach(id => problems.push(`id ${id} twice`));
return problems;
"""


class Person:
    """Somebody with a browser."""

    def __init__(self, name: str, size: tuple[int, int], base: str, pictures: Path | None, ahead: bool = False):
        self.name, self.base, self.pictures, self.size = name, base, pictures, size
        self.problems: list[str] = []
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or shutil.which("google-chrome")
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                         "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"):  # fmt: skip
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.browser = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        width, height = size
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        if ahead:
            self.command("Page.addScriptToEvaluateOnNewDocument", source=FAST_CLOCK)

    def command(self, name: str, **parameters):
        return self.browser.execute_cdp_cmd(name, parameters)

    def open(self, path: str):
        self.browser.get(self.base + path)

    def network(self, there: bool):
        self.command("Network.enable")
        self.command("Network.emulateNetworkConditions", offline=not there, latency=0,
                     downloadThroughput=-1, uploadThroughput=-1)  # fmt: skip

    def wait(self, what: str, condition):
        """Waits until something holds, and returns it."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with suppress(StaleElementReferenceException):
                if found := condition():
                    return found
            time.sleep(0.03)
        self.picture("failed")
        raise AssertionError(f"{self.name} waited in vain for: {what}\n{self.text()[:1500]}\n{self.console()}")

    def console(self) -> str:
        return "\n".join(line["message"] for line in self.browser.get_log("browser"))

    def text(self) -> str:
        return self.browser.execute_script("return document.body.innerText")

    def see(self, text: str):
        self.wait(f"“{text}”", lambda: text in self.text())

    def unfold(self):
        """Shows what advice rests on, of everybody."""
        self.browser.execute_script("for (const each of document.querySelectorAll('details.why')) each.open = true")

    def find(self, selector: str, text: str | None = None):
        """The first element in view, by selector and text or name."""

        def found():
            for element in self.browser.find_elements(By.CSS_SELECTOR, selector):
                name = element.get_attribute("aria-label") or ""
                if element.is_displayed() and (text is None or text in element.text or name.startswith(text)):
                    return element
            return None

        return self.wait(f"{selector} {text or ''}", found)

    def press(self, text: str, within: str = "body"):
        element = self.find(f"{within} button, {within} a, {within} summary", text)
        self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def fill(self, **values):
        """Writes into the controls of the dialog that is open, by name."""
        for name, value in values.items():
            controls = self.browser.find_elements(By.CSS_SELECTOR, f"dialog[open] [name={name}]")
            assert controls, f"{self.name}: the dialog has no {name}"
            if controls[0].get_attribute("type") == "radio":
                control = next(each for each in controls if each.get_attribute("value") == str(value))
                self.browser.execute_script("arguments[0].click()", control)
            elif controls[0].tag_name == "select" or controls[0].get_attribute("type") in ("date", "time"):
                self.browser.execute_script(
                    "arguments[0].value = arguments[1]; for (const kind of ['input', 'change'])"
                    " arguments[0].dispatchEvent(new Event(kind, {bubbles: true}))", controls[0], str(value))
            elif value is True:
                if not controls[0].is_selected():
                    # On a phone the foot of a dialog may lie over it.
                    self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", controls[0])
                    controls[0].click()
            else:
                controls[0].clear()
                controls[0].send_keys(str(value))

    def submit(self, look: str | None = None):
        if look:
            self.inspect(look)
        self.find("dialog[open] .primary, dialog[open] form .danger").click()
        self.wait("the dialog to close", lambda: not self.browser.find_elements(By.CSS_SELECTOR, "dialog[open]"))

    def card(self, subject: str) -> str:
        return f"article[data-key='{subject}']"

    def enter(self, subject: str, button: str, look: str | None = None, **values):
        self.press(button, f"{self.card(subject)} .entry")
        self.fill(**values)
        self.submit(look)

    def api(self, path: str):
        """What the server says to this person, as JSON."""
        return self.browser.execute_async_script(
            "const done = arguments[1]; fetch('/api/v1' + arguments[0]).then(a => a.json()).then(done, e => done(String(e)))", path)

    def send(self, method: str, path: str, body: dict):
        """Sends a request as this person's page would; the JSON of the answer."""
        answer = self.browser.execute_async_script(
            """
            const [method, path, body, done] = arguments;
            fetch('/api/v1/me').then(answer => answer.json()).then(me => fetch('/api/v1' + path, {method,
              headers: {'Content-Type': 'application/json', 'X-CSRF-Token': me.csrf}, body: JSON.stringify(body)}))
              .then(async answer => done([answer.ok, await answer.json()]), error => done([false, String(error)]));
            """, method, path, body)
        assert answer[0], answer
        return answer[1]

    def signed_in(self, link: str):
        self.browser.get(link)
        self.wait("to be signed in", lambda: self.browser.current_url.endswith(("/day", "/book")))

    def picture(self, name: str):
        if self.pictures:
            self.pictures.mkdir(parents=True, exist_ok=True)
            self.browser.save_screenshot(str(self.pictures / f"{name}-{self.size[0]}.png"))

    def printed(self, name: str):
        """Keeps the page as it is printed."""
        if self.pictures:
            pdf = self.command("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"]
            (self.pictures / f"{name}-{self.size[0]}.pdf").write_bytes(base64.b64decode(pdf))

    def inspect(self, name: str):
        """Holds the page to its promises in light and dark, and takes pictures."""
        for theme in ("light", "dark"):
            self.command("Emulation.setEmulatedMedia", features=[
                {"name": "prefers-color-scheme", "value": theme}, {"name": "prefers-reduced-motion", "value": "reduce"}])
            time.sleep(0.15)
            for problem in self.browser.execute_script(INSPECT):
                self.problems.append(f"{name}, {self.size[0]} px, {theme}: {problem}")
            self.picture(f"{name}-{theme}")

    def close(self):
        for line in self.browser.get_log("browser"):
            # That requests fail without a network, are refused to nobody, and contradict each other is what is tested.
            expected = any(words in line["message"] for words in ("net::ERR", "status of 401", "status of 409"))
            if line["level"] == "SEVERE" and not expected:
                self.problems.append(f"{self.name}'s console: {line['message']}")
        self.browser.quit()


def day(owner: Person, operator: Person, participant: Person, server: "Server", timings: dict[str, float]):
    # Sign in: the token leaves the address at once.
    participant.open("/")
    participant.see("Open the link of your invitation")
    participant.inspect("sign-in")
    owner.browser.get(server.link)
    owner.wait("the day", lambda: "/day" in owner.browser.current_url)
    assert owner.browser.execute_script("return history.length && location.hash") == ""
    owner.see("Live")
    # One person signs here; that a second must is tested where the server is.
    owner.send("PATCH", "/settings", {"release_second_person": False})

    # What there is to book.
    owner.open("/admin")
    for button, values in (
        ("Add a site", {"name": "University hospital", "address": "Street 1"}),
        ("Add a lab", {"name": "Alcohol lab"}),
        ("Add a kind", {"name": "Evening", "length_min": 300, "reading_interval_min": 1, "capacity": 2,
                        "release_limit_g_per_kg": 0.3}),
    ):  # fmt: skip
        owner.press(button)
        owner.fill(**values)
        owner.submit()
        owner.see(values["name"])
    starts = time.localtime(time.time() + 3600)
    owner.press("Add slots")
    owner.fill(date=time.strftime("%Y-%m-%d", starts), time=time.strftime("%H:%M", starts))
    owner.submit("slot-form")
    owner.see("2 of 2 places free")
    owner.inspect("admin")
    links = {}
    for name, role in (("Bea", "operator"), ("pilot", "participant")):
        owner.press("Invite")
        owner.fill(name=name, role=role)
        owner.find("dialog[open] form .primary").click()
        links[name] = owner.find("dialog[open] .secret").get_attribute("value")
        owner.press("Close", "dialog[open]")
    assert links["Bea"] not in owner.browser.execute_script("return document.documentElement.innerHTML")

    # The participant books.
    participant.browser.get(links["pilot"])
    participant.wait("booking", lambda: "/book" in participant.browser.current_url)
    participant.press("Favourite")
    participant.see("Marked as a favourite")
    participant.press("Book", "#slots")
    participant.fill(name="Eva Muster", contact="eva@example.org", sex="female", age=29, height=170, weight=64)
    participant.find("dialog[open] .primary").click()
    participant.see("Without consent there is no booking.")
    participant.fill(consent=True)
    participant.submit("booking-form")
    participant.see("You have a place.")
    participant.inspect("book")
    file = participant.find("#mine a", "Calendar file").get_attribute("href")
    calendar = participant.browser.execute_async_script(
        "const done = arguments[1]; fetch(arguments[0]).then(a => a.text()).then(done)", file)
    assert "BEGIN:VCALENDAR" in calendar and "eva@example.org" not in calendar
    # The link works once.
    operator.browser.get(links["pilot"])
    operator.see("Ask for a new link")

    # The operator's phone.
    operator.browser.get(links["Bea"])
    operator.wait("the day", lambda: "/day" in operator.browser.current_url)
    operator.see("Live")
    operator.press("Name this station")
    operator.fill(station="Breath 1", unit="brac_mg_per_l")
    operator.submit("station")
    operator.open("/book")
    # Somebody without a device is booked by staff.
    operator.press("Book", "#slots")
    operator.fill(subject="p01", name="Max Muster", contact="+43 1 2345", sex="male", weight=80, consent=True)
    operator.submit()
    operator.see("Full, nobody waits")
    # Who waits gets the place that somebody gives back, and everybody is told.
    operator.press("Join the waiting list", "#slots")
    operator.fill(subject="p02", name="Ada Muster", contact="+43 1 9876", sex="female", weight=60, consent=True)
    operator.submit("waiting-form")
    operator.see("1 person waits")
    owner.open("/day")
    owner.see("Live")
    owner.command("Browser.grantPermissions", permissions=["notifications"])
    for given, moved in (("p01", "p02"), ("p02", None)):
        operator.press(f"Cancel: {given}", "#mine")
        operator.find("dialog[open] form .danger").click()
        operator.see("The booking is cancelled.")
        if moved:
            operator.see(moved)
            owner.see("Notices (1)")
    shown = owner.wait("a notification of the browser", lambda: owner.browser.execute_async_script(
        "navigator.serviceWorker.ready.then(worker => worker.getNotifications()).then(list =>"
        " arguments[0](list.map(notification => notification.body)))"))
    assert any("p02 has it" in text for text in shown), shown
    operator.press("Book", "#slots")
    operator.fill(subject="p01", name="Max Muster", contact="+43 1 2345", sex="male", weight=80, consent=True)
    operator.submit()
    operator.see("Full, nobody waits")
    for _ in range(2):
        operator.press("Check in", "#mine")
        operator.see("is checked in")
        operator.press("Close message")
    operator.inspect("bookings")
    operator.open("/day")
    subject, other = "pilot", "p01"
    operator.find(operator.card(other))
    owner.open("/day")
    owner.find(owner.card(subject))

    # A drink by weight, and readings that the other page shows by itself.
    operator.enter(subject, "Drink", "drink-form", way="weight", amount=400, abv=12.5, name="Wine")
    owner.press("Table of values", owner.card(subject))
    owner.see("400 g of 12.5 % vol")
    # By keyboard alone: the button, the number, Enter. A comma is a point.
    operator.browser.execute_script("arguments[0].focus()", operator.find(f"{operator.card(subject)} .entry .primary"))
    operator.browser.switch_to.active_element.send_keys(Keys.ENTER)
    operator.find("dialog[open] [name=concentration]")
    operator.inspect("reading-form")
    operator.browser.switch_to.active_element.send_keys("0,21")
    begun = time.monotonic()
    operator.browser.switch_to.active_element.send_keys(Keys.ENTER)
    owner.see("0.21 mg/L breath")
    timings["a reading on the other page, s"] = time.monotonic() - begun
    assert abs(when(owner, subject, 0.21) - time.time()) < CLOCK_TOLERANCE + PATIENCE, "the fast clock was not corrected"
    owner.enter(subject, "Vital sign", "vital-form", kind="HeartRate", value=88, importance=4)
    owner.enter(subject, "Note", None, text="<b>Feels fine</b>")
    operator.press("Table of values", operator.card(subject))
    operator.see("<b>Feels fine</b>")
    refused = operator.find(f"{operator.card(subject)} .entry .primary")
    operator.browser.execute_script("arguments[0].click()", refused)
    operator.fill(concentration="abc")
    operator.find("dialog[open] .primary").click()
    operator.see("Type the number on the instrument")
    operator.press("Cancel", "dialog[open]")

    # What the server refuses comes back to the person.
    operator.press("Reading", f"{operator.card(subject)} .entry")
    operator.fill(concentration="30")
    operator.find("dialog[open] .primary").click()
    operator.see("press Save again")
    operator.submit()
    operator.press("1 entry refused", "#top")
    operator.see("was refused. 30")
    operator.inspect("refused")
    operator.find("dialog[open] li .danger").click()
    operator.fill(reason="another instrument")
    operator.inspect("discard")
    operator.find("dialog[open] form .danger").click()
    operator.see("Nothing waits.")
    # Nothing goes without a word.
    assert last_change(owner)["action"] == "reading.discard"
    operator.press("Close", "dialog[open]")
    operator.wait("no refusal", lambda: not operator.browser.find_element(By.ID, "outbox").is_displayed())

    # The network goes. Three readings are kept, also over a reload, and come in order.
    operator.network(False)
    entered = []
    for value in ("0.24", "0.27", "0.26"):
        operator.enter(subject, "Reading", None, concentration=value)
        entered.append(time.time())
        time.sleep(1.1)
    operator.see("3 entries wait for the network")
    operator.inspect("offline")
    operator.browser.refresh()
    operator.see("3 entries wait for the network")
    operator.press("3 entries wait")
    operator.see("They are sent in this order")
    operator.inspect("outbox")
    operator.press("Close", "dialog[open]")
    assert "0.27" not in owner.text()
    operator.network(True)
    begun = time.monotonic()
    operator.wait("an empty outbox", lambda: not operator.browser.find_element(By.ID, "outbox").is_displayed())
    timings["three entries sent after the network came back, s"] = time.monotonic() - begun
    for value in ("0.24", "0.27", "0.26"):
        owner.see(f"{value} mg/L breath")
    stored = [entry["value"]["concentration"] for entry in readings(owner, subject)]
    assert stored == [0.21, 0.24, 0.27, 0.26], f"order or number of readings: {stored}"
    for value, at in zip((0.24, 0.27, 0.26), entered):
        off = when(owner, subject, value) - at
        assert abs(off) < CLOCK_TOLERANCE, f"{value} is {off:.1f} s off the true time"

    # Both correct one value: nothing is overwritten, both values are shown.
    operator.network(False)
    if not operator.find(f"{operator.card(subject)} details").get_attribute("open"):
        operator.press("Table of values", operator.card(subject))
    operator.press("Correct 0.27", operator.card(subject))
    operator.fill(concentration="0.25", reason="misread")
    operator.submit()
    owner.press("Correct 0.27", owner.card(subject))
    owner.fill(concentration="0.29")
    owner.find("dialog[open] .primary").click()
    owner.see("Give a reason")
    owner.fill(reason="typed wrongly")
    owner.submit("correction-form")
    owner.see("0.29 mg/L breath")
    operator.network(True)
    for person in (operator, owner):
        person.find(f"{person.card(subject)} section.conflict")
        assert "0.25" in person.text() and "0.29" in person.text()
    operator.press("in conflict", "#top")
    operator.see("Somebody else changed the same value")
    operator.press("Seen", "dialog[open]")
    operator.press("Close", "dialog[open]")
    operator.inspect("conflict")
    owner.press("Choose", owner.card(subject))
    owner.inspect("conflict-form")
    owner.find("dialog[open] .side", "0.25").click()
    owner.fill(reason="the printout says 0.25")
    owner.submit()
    for person in (operator, owner):
        person.wait("no conflict", lambda: not person.find(person.card(subject)).find_elements(By.CSS_SELECTOR, "section.conflict"))
    stored = [entry["value"]["concentration"] for entry in readings(owner, subject)]
    assert stored == [0.21, 0.24, 0.25, 0.26], f"readings after the conflict: {stored}"
    owner.press("Take out 0.26", owner.card(subject))
    owner.fill(reason="mouthpiece was wet")
    owner.submit()
    operator.see("taken out")

    # A second page of the same browser has no stream of its own, and goes on when the first is closed.
    first = owner.browser.current_window_handle
    owner.browser.switch_to.new_window("tab")
    second = owner.browser.current_window_handle
    owner.command("Emulation.setDeviceMetricsOverride", width=DESK[0], height=DESK[1], deviceScaleFactor=1, mobile=False)
    owner.open(f"/person/{subject}")
    owner.see("Live")
    owner.press("Table of values")
    streams = "return performance.getEntriesByType('resource').filter(e => e.name.includes('/events')).length"
    assert owner.browser.execute_script(streams) == 0, "the second page opened a stream of its own"
    operator.enter(subject, "Reading", None, concentration="0.23")
    owner.see("0.23 mg/L breath")
    owner.inspect("person")
    owner.browser.switch_to.window(first)
    owner.browser.close()
    owner.browser.switch_to.window(second)
    operator.enter(subject, "Reading", None, concentration="0.22")
    owner.see("0.22 mg/L breath")
    owner.open("/day")
    owner.press("Table of values", owner.card(subject))

    # The release is decided and signed by a person.
    assert not operator.browser.find_elements(By.XPATH, "//button[text()='Decide release']")
    owner.press("Decide release", owner.card(subject))
    owner.fill(decision="kept")
    owner.find("dialog[open] .primary").click()
    owner.see("Type your name to sign.")
    owner.fill(decision="released", signed="Ada", reason="looked at")
    owner.submit("release-form")
    owner.see("May go home: signed by")
    operator.see("Released")
    # A reading of the other is due: a minute after the session began.
    owner.see("Notices")
    owner.wait("a notice", lambda: any(n["subject"] == other for n in owner.api("/notices")["items"]))
    owner.find("#notices").click()
    owner.see(f"A reading of {other} is due.")
    owner.inspect("notices")
    owner.press("Close", "dialog[open]")
    owner.inspect("day")
    operator.inspect("day")

    # Another ratio of blood to breath is in every card at once.
    owner.open("/admin")
    owner.see("Blood:breath ratio 2100")
    owner.press("Change", "section[aria-labelledby=settings-title]")
    owner.fill(blood_breath_ratio="2300")
    owner.submit("settings-form")
    owner.see("Blood:breath ratio 2300")
    operator.unfold()
    operator.see("Blood:breath ratio 2300")

    # Fifty people more: folded, found by name, counted.
    crowd(operator, 50)
    owner.open("/day")
    owner.see("52 people")
    owner.find("#find").send_keys("x17")
    owner.see("1 of 52 people")
    owner.inspect("found")
    assert [card.get_attribute("data-key") for card in owner.browser.find_elements(By.CSS_SELECTOR, "#people article")] == ["x17"]
    owner.find("#find").clear()
    owner.find("#find").send_keys("x")
    owner.see("50 of 52 people")
    owner.inspect("crowd")

    # A participant sees what is theirs, and no buttons to enter anything.
    participant.open("/day")
    participant.find(participant.card(subject))
    assert not participant.browser.find_elements(By.CSS_SELECTOR, ".entry button")
    participant.inspect("participant")

    # The report, on paper.
    owner.open("/report")
    owner.see("signed by")
    owner.see(subject)
    assert "Eva Muster" not in owner.text(), "a name stands in the report"
    owner.inspect("report")
    printed = owner.command("Page.printToPDF", preferCSSPageSize=True)
    assert len(printed["data"]) > 10_000

    # Whose access is revoked is out at once, wherever they are.
    owner.open("/admin")
    owner.press("Revoke the account of Bea")
    owner.submit()
    owner.see("The account is revoked.")
    assert operator.api("/day").get("status") == 401
    operator.open("/day")
    operator.see("Open the link of your invitation")

    owner.open("/day")
    owner.find("#who button").click()
    owner.press("Sign out", "dialog[open]")
    owner.see("Open the link of your invitation")
    assert owner.api("/day").get("status") == 401


def slips(owner: Person, operator: Person, participant: Person, server: "Server", timings: dict[str, float]):
    owner.signed_in(server.link)
    owner.send("PATCH", "/settings", {"release_second_person": False})
    owner.see("Live")
    links = {name: owner.send("POST", "/invitations", {"name": name, "role": role})["link"]
             for name, role in (("Bea", "operator"), ("Cy", "operator"), ("p03", "participant"))}
    site = owner.send("POST", "/sites", {"name": "Hospital"})["id"]
    lab = owner.send("POST", "/labs", {"name": "Lab", "site": site})["id"]
    kind = owner.send("POST", "/session-types", {
        "name": "Evening", "lab": lab, "length_min": 300, "reading_interval_min": 10, "capacity": 4,
        "release_limit_g_per_kg": 0.2, "food_state": "fasted"})["id"]
    slot = owner.send("POST", "/slots", {"session_type": kind, "starts": iso(time.time() + 20)})["id"]
    bookings = {}
    for subject in ("low", "late"):
        bookings[subject] = owner.send("POST", f"/slots/{slot}/bookings", {
            "subject": subject, "name": "N", "contact": "C", "consent": True,
            "own_measures": {"sex": "male", "weight_kg": 70, "height_cm": 175, "age_y": 30}})["id"]
    # Their measures stay, and what follows is a session of its own.
    owner.send("DELETE", f"/bookings/{bookings['low']}", {})

    # What is changed is only what can be.
    owner.open("/admin")
    for button, values, seen in (("Change Lab", {"name": "Alcohol lab"}, "Alcohol lab"),
                                 ("Change Evening", {"release_limit_g_per_kg": "0.3"}, "limit 0.3 g/kg")):
        owner.press(button)
        owner.fill(**values)
        owner.submit()
        owner.see(seen)

    # 30 g and half a litre of beer six hours ago, and readings that fell since.
    began = time.time() - 6 * 3600
    enter(owner, began, "drink", "low", {"ethanol_g": 30})
    enter(owner, began, "drink", "low", {"volume_ml": 500, "abv_percent": 5})
    for minutes in range(60, 345, 30):
        value = round(0.98 - 0.155 * minutes / 60, 3)
        enter(owner, began + minutes * 60, "reading", "low", {"concentration": value, "unit": "bac_g_per_kg"})
    enter(owner, time.time() - 600, "drink", "high", {"ethanol_g": 20})
    owner.open("/report")
    owner.see("49.7 g ethanol")

    # Advice is for who is in step with the server.
    operator.signed_in(links["Bea"])
    card = operator.card("low")
    owner.open("/day")
    owner.see("Below the limit")
    owner.find("#notices").click()
    owner.see("low is probably below")
    owner.press("Close", "dialog[open]")
    operator.see("Below the limit")
    assert "Probability now" not in operator.text(), "the rest stands behind the advice"
    operator.unfold()
    operator.see("Probability now")
    operator.network(False)
    operator.wait("no advice without a network", lambda: "Not in step" in operator.text())
    assert "Below the limit" not in operator.text() and "Probability now" not in operator.text()
    operator.wait("no curve ahead", lambda: still_to_come(operator, card) < 20)
    operator.inspect("out-of-step")
    operator.enter("low", "Drink", None, way="grams", amount=120)
    operator.see("waits to be sent")
    assert "Below the limit" not in operator.text() and "Probability now" not in operator.text()
    assert "release" in [notice["kind"] for notice in owner.api("/notices")["items"]]
    operator.network(True)
    begun = time.monotonic()
    operator.wait("the curve ahead", lambda: still_to_come(operator, card) > 20)
    assert time.monotonic() - begun < 15, "the chart waited for its next turn to be drawn"
    # The notice of the other page goes with what it was about.
    owner.wait("no advice", lambda: "Below the limit" not in owner.text() and "No advice for the limit" in owner.text())
    owner.find("#notices").click()
    owner.see("A reading of low is due.")
    assert "probably below" not in owner.find("dialog[open]").text
    owner.press("Close", "dialog[open]")

    # Somebody sets the clock of the operator's phone by two hours: with a network, and without.
    for value, ahead in (("0.171", 120), ("0.172", -120), ("0.173", 240)):
        there = ahead != 240
        operator.network(there)
        operator.browser.execute_script("clockAhead += arguments[0] * 60000", ahead)
        operator.enter("low", "Reading", None, concentration=value)
        entered = time.time()
        operator.network(True)
        operator.wait("an empty outbox", lambda: not operator.browser.find_element(By.ID, "outbox").is_displayed())
        off = when(operator, "low", float(value)) - entered
        assert abs(off) < CLOCK_TOLERANCE, f"{value} is {off:.1f} s off the true time"
    # What was stamped in the future all the same is asked about, not sent again as it is.
    operator.browser.execute_script("clockAhead += 7200000; steadyAhead = 7200000")
    operator.enter("low", "Reading", None, concentration="0.174")
    operator.press("1 entry refused", "#top")
    operator.see("lies in the future")
    operator.browser.execute_script("clockAhead -= 7200000; steadyAhead = 0")
    operator.press("Send again", "dialog[open]")
    operator.see("When was it? low")
    operator.fill(time=time.strftime("%H:%M", time.localtime(time.time() - 120)))
    operator.inspect("when")
    operator.find("dialog[open] form .primary").click()
    operator.see("Nothing waits.")
    operator.press("Close", "dialog[open]")
    assert -200 < when(operator, "low", 0.174) - time.time() < -100

    # A tablet is handed on: what is on it is said to who leaves, and not shown to who comes.
    operator.press("Reading", f"{card} .entry")
    operator.fill(concentration="30")
    operator.find("dialog[open] .primary").click()
    operator.see("press Save again")
    operator.submit()
    operator.see("1 entry refused")
    operator.find("#who button").click()
    operator.press("Sign out", "dialog[open]")
    operator.see("Sign out with entries that are not stored?")
    operator.inspect("sign-out")
    operator.find("dialog[open] form .danger").click()
    operator.see("Open the link of your invitation")
    operator.signed_in(links["p03"])
    for path in ("/book", "/day"):
        operator.open(path)
        operator.see("Live")
        assert not operator.browser.find_element(By.ID, "outbox").is_displayed()
        operator.browser.execute_script("document.getElementById('outbox').click()")
        operator.see("Entries on this device")
        assert not any(word in operator.text() for word in ("low", "Bea", "30 "))
        operator.press("Close", "dialog[open]")

    # Who made what was refused does not come back: another operator settles it, and advice is given again.
    operator.signed_in(links["Cy"])
    operator.open("/day")
    operator.see("30 g/kg blood")
    operator.see("was refused, made by Bea")
    operator.see("it lacks what was entered on this device")
    operator.inspect("left-behind")
    operator.press("Settle", card)
    operator.press("Send in my name", "dialog[open]")
    operator.fill(reason="Bea has left")
    operator.inspect("take-over")
    operator.find("dialog[open] form .primary").click()
    operator.see("was refused. 30")
    operator.network(False)
    operator.press("Discard", "dialog[open]")
    operator.find("dialog[open] form .danger").click()
    operator.see("Give a reason")
    operator.fill(reason="typed wrongly")
    operator.find("dialog[open] form .danger").click()
    operator.see("Discarded: 30 g/kg blood")
    operator.press("Close", "dialog[open]")
    operator.network(True)
    operator.wait("an empty outbox", lambda: not operator.browser.find_element(By.ID, "outbox").is_displayed())
    operator.wait("to be in step", lambda: "Not in step" not in operator.text())
    told = last_change(owner)
    assert told["action"] == "reading.discard" and told["by"] == "Cy", told

    # Measures are corrected with a reason; two who correct them at once hear of each other.
    for person in (owner, operator):
        person.press("Measures", person.card("low"))
        person.see("Measures of low")
    operator.fill(weight_kg="7,2")
    operator.find("dialog[open] form .primary").click()
    operator.see("type a number from 30 to 300")
    operator.fill(weight_kg="72,5", reason="weighed again")
    operator.inspect("measures")
    operator.submit()
    owner.fill(height_cm="176", reason="asked")
    owner.inspect("measures")
    owner.find("dialog[open] form .primary").click()
    owner.see("Somebody else changed the measures")
    owner.see("Now: male, 30 years, 175 cm, 72.5 kg.")
    owner.submit()
    measures = owner.api("/people/low/measures")
    assert (measures["height_cm"], measures["weight_kg"]) == (176, 72.5), measures

    # What was entered for the wrong person, at the wrong time, twice.
    operator.enter("low", "Reading", None, concentration="0.1")
    operator.wait("the reading", lambda: any(each["value"]["concentration"] == 0.1 for each in readings(operator, "low")))
    if not operator.find(f"{card} details").get_attribute("open"):
        operator.press("Table of values", card)
    operator.press("Correct 0.1 ", card)
    operator.press("Its time or its person", "dialog[open]")
    earlier = time.time() - 240
    operator.fill(time=time.strftime("%H:%M", time.localtime(earlier)), subject="high", reason="the other one breathed")
    operator.submit("move-form")
    operator.wait("the reading to be moved", lambda: readings(owner, "high") and not any(
        each["value"]["concentration"] == 0.1 for each in readings(owner, "low")))
    assert abs(when(owner, "high", 0.1) - earlier) < 61
    operator.press("Reading", f"{operator.card('high')} .entry")
    operator.fill(concentration="1.2")
    operator.find("dialog[open] .primary").click()
    operator.see("The reading before was 0.1")
    operator.press("Cancel", "dialog[open]")
    owner.enter("high", "Drink", None, way="grams", amount=33)
    operator.wait("the drink", lambda: len(operator.api("/people/high")["drinks"]) == 2)
    operator.press("Drink", f"{operator.card('high')} .entry")
    operator.fill(way="volume", amount=500, abv="8,36")
    operator.find("dialog[open] .primary").click()
    operator.see("Ada entered 33 g ethanol")
    operator.inspect("drink-twice")
    operator.press("Cancel", "dialog[open]")

    # Who was released and then drinks is not one who may go home.
    owner.press("Decide release", owner.card("low"))
    owner.fill(decision="released", signed="Ada", reason="looked at")
    owner.submit()
    owner.see("May go home: signed by")
    owner.network(False)
    owner.enter("low", "Drink", None, way="grams", amount=20)
    owner.see("Changed since it was signed: look again")
    owner.see("Look again")
    assert "May go home: signed" not in owner.text()
    owner.inspect("overtaken")
    owner.network(True)
    # The server says so, too, and to everybody.
    owner.wait("an empty outbox", lambda: not owner.browser.find_element(By.ID, "outbox").is_displayed())
    owner.see("Changed since it was signed: look again")
    assert owner.api("/people/low")["release"]["changed_since"]

    # Who did not come is asked about.
    owner.open("/book")
    owner.wait("the session to begin", lambda: time.time() > slot_begins(owner, slot))
    owner.open("/book")
    owner.press("Did not come: late", "#mine")
    owner.see("Did late not come?")
    owner.press("Cancel", "dialog[open]")
    assert [each["state"] for each in owner.api("/bookings")["items"] if each["subject"] == "late"] == ["booked"]
    owner.press("Did not come: late", "#mine")
    owner.submit()
    owner.see("late did not come.")

    # Who comes without a booking is booked while the session lasts; who leaves without a word is not waited for.
    owner.press("Book", "#slots")
    owner.fill(subject="walk-in", name="W", contact="C", sex="male", weight=80, consent=True)
    owner.submit()
    owner.press("Check in: walk-in", "#mine")
    owner.see("walk-in is checked in.")
    owner.open("/day")
    owner.press("Decide release", owner.card("walk-in"))
    owner.fill(decision="left", signed="Ada", reason="looked at")
    owner.submit("left")
    owner.see("Left: signed by Ada")
    assert "next_reading_due" not in owner.api("/people/walk-in")

    # A session is called off, and somebody takes back their consent.
    later = time.time() + 7200
    off = owner.send("POST", "/slots", {"session_type": kind, "starts": iso(later)})["id"]
    for subject in ("far", "away"):
        owner.send("POST", f"/slots/{off}/bookings", {"subject": subject, "name": "N", "contact": "far@example.org", "consent": True})
    owner.open("/book")
    owner.see("far@example.org")
    owner.press("Withdraw consent")
    owner.fill(subject="away", sure=True)
    owner.submit("withdraw")
    owner.see("The consent is withdrawn.")
    owner.open("/admin")
    owner.press(f"Close {time.strftime('%H:%M', time.localtime(later))}", "#slots")
    owner.fill(what="off")
    owner.submit("call-off")
    owner.open("/book")
    owner.see("far (N) · Evening, Alcohol lab, Hospital · cancelled")
    owner.inspect("called-off")
    assert {each["state"] for each in owner.api(f"/bookings?slot={off}")["items"]} == {"cancelled"}

    # After a backup was restored, pages that were open go on from there.
    operator.wait("to be in step", lambda: "Not in step" not in operator.text())
    copy, known = server.copy(), len(operator.api("/people/low")["drinks"])
    enter(owner, time.time(), "drink", "low", {"ethanol_g": 5})
    operator.see("5 g ethanol")
    server.restore(copy)
    operator.wait("the state of the backup", lambda: len(operator.api("/people/low").get("drinks", [])) == known)
    operator.wait("to be in step again", lambda: "Live" in operator.text() and "Not in step" not in operator.text())

    # One long word makes neither a page nor a column wider.
    name = "W" * 80
    enter(owner, time.time(), "reading", name, {"concentration": 0.4, "unit": "bac_g_per_kg"})
    enter(owner, time.time(), "note", name, {"text": "n" * 200})
    participant.signed_in(owner.send("POST", "/invitations", {"name": "Di", "role": "operator"})["link"])
    for person in (owner, participant):
        person.open("/day")
        person.see("Live")
        person.press("Table of values", person.card(name))
        person.inspect("long-words")
        wide = person.browser.execute_script("return document.querySelector('.scroll').scrollWidth - document.querySelector('.scroll').clientWidth")
        assert wide <= 0 or person is participant, f"a table {wide} px wider than its card"
        person.open("/report")
        person.see("Everybody")
        person.inspect("long-words-report")
    for media in ("print", "screen"):
        owner.command("Emulation.setDeviceMetricsOverride", width=794, height=1123, deviceScaleFactor=1, mobile=False)
        owner.command("Emulation.setEmulatedMedia", media=media)
        time.sleep(0.3)
        owner.picture(f"paper-{media}")
        wide = owner.browser.execute_script(
            "return [...document.querySelectorAll('th, td')].filter(e => e.getBoundingClientRect().right > innerWidth).map(e => e.textContent)")
        assert not wide, f"columns beyond the paper: {wide}"


def comforts(owner: Person, operator: Person, participant: Person, server: "Server", timings: dict[str, float]):
    """From an empty study to the first person, and what makes a day easier."""
    owner.signed_in(server.link)
    owner.see("What a day needs first")
    owner.inspect("empty-day")
    owner.press("Admin", "#top")
    owner.see("First steps")
    owner.inspect("first-steps")
    for step, values in (("A site", {"name": "Hospital"}), ("A lab", {"name": "Lab"}),
                         ("A kind of session", {"name": "Evening", "reading_interval_min": 30, "release_limit_g_per_kg": 0.2})):  # fmt: skip
        owner.press(f"{step}: go on")
        owner.fill(**values)
        owner.submit()
        owner.see(f"✓ {step}")
    starts = time.localtime(time.time() + 3600)
    owner.press("Slots: go on")
    tomorrow = time.strftime("%Y-%m-%d", time.localtime(time.time() + 86_400))
    assert owner.find("dialog[open] [name=date]").get_attribute("value") == tomorrow
    owner.fill(date=time.strftime("%Y-%m-%d", starts), time=time.strftime("%H:%M", starts))
    owner.submit()
    owner.press("An operator: go on")
    owner.fill(name="Bea", role="operator")
    owner.find("dialog[open] form .primary").click()
    link = owner.find("dialog[open] .secret").get_attribute("value")
    owner.find("dialog[open] .qr")
    owner.press("Close", "dialog[open]")
    owner.see("✓ An operator")
    slot = owner.api("/slots")["items"][0]["id"]
    booking = owner.send("POST", f"/slots/{slot}/bookings", {
        "subject": "p03", "name": "N", "contact": "p03@example.org", "consent": True,
        "own_measures": {"sex": "male", "weight_kg": 80, "height_cm": 180, "age_y": 30}})["id"]
    owner.send("POST", f"/bookings/{booking}/check-in", {})

    # A threshold is changed.
    owner.open("/admin")
    owner.press("Change Body temperature")
    owner.fill(above="38,5")
    owner.submit("threshold")
    owner.see("above 38.5")

    # A drink as people say it, what it would do, a favourite in two taps, the same again in one.
    operator.signed_in(link)
    card = operator.card("p03")
    operator.press("Drink", f"{card} .entry")
    operator.fill(words="2 cl vodka")
    operator.browser.switch_to.active_element.send_keys(Keys.ENTER)
    operator.wait("20 ml", lambda: operator.find("dialog[open] [name=amount]").get_attribute("value") == "20")
    operator.press("What would it do?", "dialog[open]")
    operator.see("more: highest about")
    operator.fill(favourite=True)
    operator.submit("drink-in-words")
    operator.wait("the drink", lambda: len(operator.api("/people/p03")["drinks"]) == 1)
    beer = {"name": "Beer", "volume_ml": 500, "abv_percent": 5}
    operator.send("PUT", "/drinks/favourites", {"drinks": [beer, *operator.api("/drinks")["favourites"]]})
    operator.open("/day")
    begun = time.monotonic()
    operator.press("Drink", f"{card} .entry")
    operator.press("Beer", "dialog[open] .favourites")
    operator.wait("two drinks", lambda: len(operator.api("/people/p03")["drinks"]) == 2)
    timings["a favourite drink in two taps, s"] = time.monotonic() - begun
    operator.press("Same again", f"{card} .entry")
    operator.see("The same again for p03?")
    operator.submit("same-again")
    operator.wait("three drinks", lambda: len(operator.api("/people/p03")["drinks"]) == 3)
    operator.press("Drink", f"{card} .entry")
    operator.inspect("favourites")
    operator.press("Cancel", "dialog[open]")

    # Curves of r methods, live.
    owner.open("/day")
    owner.press("r methods", owner.card("p03"))
    owner.see("widmark r 0.68: ")
    owner.see("when they fall to 0.2 g/kg")
    owner.inspect("methods")
    assert len(owner.browser.find_elements(By.CSS_SELECTOR, f"{owner.card('p03')} .chart-box path.method")) == 5

    # A fever is noticed at once.
    operator.enter("p03", "Vital sign", None, kind="BodyTemperature", value="38,9", importance=4)
    owner.see("Body temperature of p03 is 38.9 degC, above 38.5.")
    operator.enter("p03", "Vital sign", None, kind="OxygenSaturation", value="97", importance=2)
    owner.open("/history/p03")
    owner.see("low risk")
    owner.see("Body temperature (°C)")
    owner.inspect("history")
    operator.open("/history/p03")
    operator.see("Oxygen saturation (%)")
    operator.inspect("history")
    operator.find("#importance").send_keys("4")
    operator.wait("only what matters", lambda: "Oxygen saturation (%)" not in operator.text())

    # A number, called: on the wall and on the phone.
    participant.signed_in(owner.send("POST", "/invitations", {"name": "p03", "role": "participant", "subject": "p03"})["link"])
    participant.see("Who is here takes a number.")
    participant.press("I am here")
    participant.see("Your number is 1. You are next")
    owner.send("POST", "/queue", {})
    owner.open("/board")
    owner.see("Call the next")
    owner.press("Call the next")
    participant.see("It is your turn, number 1")
    participant.inspect("your-turn")
    owner.inspect("board")
    participant.press("What I am written to about")
    participant.see("This study writes to nobody")

    # One's own vital signs, and a reminder.
    participant.press("Health", "#top")
    participant.see("You are not reminded.")
    participant.press("Enter a vital sign")
    participant.fill(kind="HeartRate", value="71")
    participant.submit()
    participant.see("Heart rate (/min)")
    participant.press("Reminder")
    participant.fill(at0="20:30", at1="08:15")
    participant.submit("reminder")
    participant.see("You are reminded at 08:15, 20:30")
    participant.press("Postpone")
    later = time.strftime("%H:%M", time.localtime(time.time() + 5400))
    participant.fill(until=later)
    participant.submit("postpone")
    participant.see(f"not before {later}")
    participant.inspect("health")
    planned(owner, operator)
    blinded(owner, operator, participant)

    # Who runs the server sees devices and backups.
    owner.open("/server")
    owner.see("None is known of")
    owner.wait("devices", lambda: "Bea" in owner.text())
    owner.inspect("server")
    laboratory(owner, operator, participant, server)


def laboratory(owner: Person, operator: Person, wall: Person, server: "Server"):
    """Instruments with their checks, a screen on a wall, what staff set for themselves, and automatic backups."""
    operator.open("/day")
    operator.press("Name this station")
    operator.fill(station="Breath 1", unit="brac_mg_per_l", instrument="AL-1")
    operator.see("no calibration check yet")
    operator.submit("station-instrument")
    operator.see("Station Breath 1: check its instrument")
    operator.enter("p04", "Reading", None, concentration="0.15")
    operator.see("Instrument in doubt")
    operator.press("Table of values", operator.card("p04"))
    operator.see("instrument AL-1 had no calibration check")
    operator.inspect("in-doubt")
    owner.open("/admin")
    owner.press("Calibration check")
    owner.fill(serial="AL-1", unit="brac_mg_per_l", standard="0.35", tolerance="0.02", measured="0.34")
    owner.submit("calibration")
    owner.see("AL-1 passed its check.")
    owner.see("showed 0.34 for 0.35 ± 0.02")
    owner.inspect("instruments")
    operator.open("/day")
    operator.see("Station Breath 1")
    operator.enter("p04", "Reading", None, concentration="0.14")
    operator.wait("a reading without doubt", lambda: "Instrument in doubt" not in operator.text())
    assert [each.get("instrument_doubt") is None for each in readings(operator, "p04")] == [True, False, True]
    owner.press("Check AL-1")
    owner.fill(measured="0.5")
    owner.submit()
    owner.see("AL-1 failed its check.")
    owner.see("showed 0.5 for 0.35 ± 0.02")
    owner.inspect("instrument-failed")
    operator.see("Instrument in doubt")
    operator.press("Table of values", operator.card("p04"))
    operator.see("instrument AL-1 failed its next calibration check")
    operator.inspect("spoilt")
    owner.open("/report")
    owner.see("instrument AL-1 had no calibration check")
    owner.see("instrument AL-1 failed its next calibration check")
    owner.inspect("report-in-doubt")
    owner.printed("report-in-doubt")

    # The wall sees numbers, and leads nowhere else.
    wall.browser.get(owner.send("POST", "/invitations", {"name": "lobby", "role": "wall"})["link"])
    wall.wait("the board", lambda: wall.browser.current_url.endswith("/board"))
    wall.see("Now serving")
    wall.wait("no other page", lambda: wall.find("#nav").text.split() == ["Board"])
    wall.inspect("wall")

    owner.press("Ada", "#who")
    owner.press("Signing code", "dialog[open]")
    owner.fill(code="correct horse")
    owner.submit("signing-code")
    owner.see("The signing code is set.")
    owner.press("Ada", "#who")
    owner.press("What I am told of", "dialog[open]")
    owner.see("This server writes to nobody")

    server.stop()
    server.start("--backups", str(server.study.parent / "copies"))
    owner.open("/server")
    owner.see("Every 1 h 00 min, each opened, checked and counted")
    owner.see("0 changes since")
    owner.inspect("server-backups")
    assert len(list((server.study.parent / "copies").glob("*.sqlite"))) == 1


def planned(owner: Person, operator: Person):
    """The protocol: somebody is drawn, given the drink of their arm, and read as planned."""
    owner.open("/admin")
    owner.see("by the interval of the session")
    owner.press("Change the protocol")
    owner.fill(arms="alcohol 0,4\nplacebo 0", readings="0 45", seed="7", total_ml="300")
    owner.submit("protocol-form")
    owner.see("order by seed 7")
    owner.see("nothing hidden from operators")
    owner.inspect("protocol")
    slot = owner.api("/slots")["items"][0]["id"]
    booking = owner.send("POST", f"/slots/{slot}/bookings", {
        "subject": "p04", "name": "N", "contact": "p04@example.org", "consent": True,
        "own_measures": {"sex": "female", "weight_kg": 60, "height_cm": 170, "age_y": 25}})["id"]
    owner.send("POST", f"/bookings/{booking}/check-in", {})
    operator.open("/day")
    operator.press("Draw, p04", "#tasks")
    operator.see("place 1 of the order: alcohol")
    # 24 g of ethanol are 76 ml of 40 % vol, or 72.1 g of it.
    operator.press("Make it up", "#tasks")
    operator.see("Pour 76 ml (72.1 g) of 40 % vol. Fill up to 300 ml.")
    operator.fill(poured="60")
    operator.find("dialog[open] .primary").click()
    operator.see("Planned are 72.1 g")
    operator.fill(poured="72,3")
    operator.submit("dose-form")
    operator.see("late by")
    operator.see("reading planned for")
    drink = operator.api("/people/p04")["drinks"][0]["value"]
    assert drink["mass_g"] == 72.3 and drink["abv_percent"] == 40, drink
    operator.inspect("tasks")
    owner.open("/day")
    owner.see("late by")
    owner.inspect("tasks")
    operator.press("Reading, p04", "#tasks")
    operator.fill(concentration="0.1", unit="brac_mg_per_l")
    operator.submit()
    operator.wait("nothing late", lambda: "late by" not in operator.find("#tasks").text)


def blinded(owner: Person, operator: Person, participant: Person):
    """What a blinded participant sees, and drinks of weeks, some of which they noted themselves."""
    weeks = [(1, 40), (2, 30), (8, 130), (9, 20), (16, 410), (23, 60)]
    for days, grams in weeks:
        began = time.time() - days * 86_400
        enter(owner, began, "drink", "p03", {"ethanol_g": grams})
        for minutes in range(40, 240, 40):
            value = max(0.0, round(min(grams / 54, 1.9) - 0.16 * minutes / 60, 2))
            enter(owner, began + minutes * 60, "reading", "p03", {"concentration": value, "unit": "bac_g_per_kg"})
    owner.open("/history/p03")
    owner.see("high risk")
    owner.see("Drinks of the study only")
    owner.see("Readings (g/kg) after the first drink")
    owner.inspect("consumption")
    owner.printed("consumption")
    owner.open("/admin")
    owner.press("Change", "section[aria-labelledby=settings-title]")
    owner.fill(behaviour=True)
    assert owner.find("dialog[open] [name=blind]").is_selected(), "a study of behaviour is blinded"
    owner.submit("settings-form")
    owner.see("hidden from participants")
    participant.open("/day")
    enter(operator, time.time(), "reading", "p03", {"concentration": 0.7391, "unit": "bac_g_per_kg"})
    participant.see("Reading taken at")
    participant.see("the study is blinded")
    assert "0.74" not in participant.text() and "0.7391" not in json.dumps(participant.api("/day"))
    participant.press("Table of values")
    participant.see("Reading, hidden")
    participant.inspect("blinded")
    operator.see("0.74")
    # Who has left may note what they drink at home.
    participant.press("Health", "#top")
    participant.press("Note a drink of my own")
    participant.fill(way="grams", amount="12")
    participant.submit("own-drink")
    participant.see("refused")
    person = owner.api("/people/p03")
    owner.send("POST", "/people/p03/release", {"decision": "left", "advice_seq": person["seq"], "signed": True})
    participant.open("/history/p03")
    participant.press("Note a drink of my own")
    participant.fill(way="grams", amount="14")
    participant.submit()
    participant.see("own ones that were noted")
    participant.press("Your own drinks")
    participant.see("14 g ethanol")
    assert "hidden" in participant.find("#sessions").text and "0.7" not in participant.find("#sessions").text
    participant.inspect("consumption")
    participant.printed("consumption")


def last_change(person: Person) -> dict:
    """The last change of an entry."""
    changes = person.api("/changes?limit=1000")["items"]
    return [each for each in changes if each["action"].startswith(("reading.", "drink."))][-1]


def still_to_come(person: Person, card: str) -> int:
    """How long the text of the outline of the curve after now is."""
    return person.browser.execute_script("return document.querySelector(arguments[0]).getAttribute('d').length", f"{card} .ahead")


def slot_begins(person: Person, slot: int) -> float:
    return next(moment(each["starts"]) for each in person.api("/slots")["items"] if each["id"] == slot)


def iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment(text: str) -> float:
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def enter(person: Person, at: float, kind: str, subject: str, value: dict):
    """Enters something as a page of a device with a right clock would."""
    entry = {"id": str(uuid.uuid4()), "kind": kind, "action": "enter", "subject": subject, "device_time": iso(at), "value": value}
    answer = person.send("POST", "/entries", {"entries": [entry]})
    assert answer["results"][0]["status"] == "stored", answer


def crowd(person: Person, count: int):
    """Enters one reading each of so many people more, as a page would."""
    answer = person.send("POST", "/entries", {"entries": [
        {"id": str(uuid.uuid4()), "kind": "reading", "action": "enter", "subject": f"x{index + 1:02}",
         "device_time": iso(time.time()), "value": {"concentration": index % 9 / 10, "unit": "brac_mg_per_l"}}
        for index in range(count)]})
    assert all(result["status"] == "stored" for result in answer["results"]), answer


def readings(person: Person, subject: str) -> list[dict]:
    entries = person.api(f"/people/{subject}")["readings"]
    return sorted((entry for entry in entries if entry["state"] != "void"), key=lambda entry: entry["at"])


def when(person: Person, subject: str, value: float) -> float:
    return moment(next(each for each in readings(person, subject) if each["value"]["concentration"] == value)["at"])


def free_port() -> int:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return door.getsockname()[1]


class Server:
    """The server on an empty study, its address, and a link for the owner."""

    def __init__(self, command: Path, folder: Path):
        self.command, self.log, self.study = command, folder / "log", folder / "study.sqlite"
        self.port = str(free_port())
        self.base = f"http://127.0.0.1:{self.port}"
        made = subprocess.run([command, self.study, "--invite", "Ada", "--role", "owner", "--port", self.port],
                              capture_output=True, text=True, check=True)  # fmt: skip
        self.link = next(word for word in made.stdout.split() if word.startswith("http"))
        self.start()

    def start(self, *options: str):
        self.process = subprocess.Popen([self.command, self.study, "--port", self.port, *options], stdout=subprocess.DEVNULL,
                                        stderr=self.log.open("a"))  # fmt: skip
        for _ in range(100):
            with suppress(OSError):
                urllib.request.urlopen(self.base + "/day", timeout=1).read()
                return
            time.sleep(0.1)
        self.stop()
        sys.exit(f"the server does not answer:\n{self.log.read_text()}")

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def copy(self) -> bytes:
        """What the study is now."""
        copy = self.study.with_name("copy.sqlite")
        with closing(sqlite3.connect(self.study)) as study, closing(sqlite3.connect(copy)) as kept:
            study.backup(kept)
        return copy.read_bytes()

    def restore(self, copy: bytes):
        """Goes back to a copy."""
        self.stop()
        for end in ("-wal", "-shm"):
            self.study.with_name(self.study.name + end).unlink(missing_ok=True)
        self.study.write_bytes(copy)
        self.start()


def played(scenario, command: Path, pictures: Path | None, timings: dict[str, float]) -> set[str]:
    """Plays a day on an empty study; what was wrong with the pages."""
    people = []
    with tempfile.TemporaryDirectory() as folder:
        server = Server(command, Path(folder))
        try:
            for name, size, ahead in (("owner", DESK, False), ("operator", PHONE, True), ("participant", PHONE, False)):
                people.append(Person(name, size, server.base, pictures, ahead))
            scenario(*people, server, timings)
        finally:
            for person in people:
                with suppress(WebDriverException):
                    person.close()
            server.stop()
    return {problem for person in people for problem in person.problems}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", type=Path, help="promille-serve")
    parser.add_argument("--pictures", type=Path, help="keep screenshots in this folder")
    arguments = parser.parse_args()
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    missing = [name for name, there in (("selenium", webdriver), ("Chromium", browser),
                                        ("chromedriver", shutil.which("chromedriver"))) if not there]  # fmt: skip
    if missing:
        print(f"{', '.join(missing)} not installed: the study day in a browser is left out")
        return
    problems, timings = set(), {}
    for scenario in (day, slips, comforts):
        problems |= played(scenario, arguments.command.resolve(), arguments.pictures, timings)
    for problem in sorted(problems):
        print(problem)
    print(json.dumps({name: round(value, 2) for name, value in timings.items()}))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
