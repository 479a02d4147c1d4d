//! A real browser, for as long as a test holds it: Chromium without a window.
//!
//! Must not know: the pages that it shows.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "what does not hold in a test's helper fails the test"
)]

mod driver;
mod session;

use std::{
    fs,
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

use driver::Driver;
use session::{Failed, Session};

/// Far more than a page takes.
const PATIENCE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(50);

/// Keys that are no characters, as WebDriver writes them.
pub(crate) const TAB: &str = "\u{e004}";
pub(crate) const ENTER: &str = "\u{e007}";
pub(crate) const END: &str = "\u{e010}";
pub(crate) const ARROW_LEFT: &str = "\u{e012}";

/// What a page may prefer of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    Light,
    Dark,
}

/// A browser with one page. When a test panics that has it, what it shows is saved, and its console printed.
pub(crate) struct Browser {
    session: Session,
    // Ends after the session.
    _driver: Driver,
}

impl Browser {
    pub(crate) fn start() -> Self {
        let driver = Driver::start();
        Self {
            session: Session::start(&driver),
            _driver: driver,
        }
    }

    /// Goes to a page, and waits until it is loaded.
    pub(crate) fn go(&self, url: &str) {
        self.session.post("/url", &json!({"url": url})).unwrap();
    }

    /// What a function with this body returns in the page.
    pub(crate) fn run(&self, body: &str) -> Value {
        self.try_run(body).unwrap()
    }

    fn try_run(&self, body: &str) -> Result<Value, Failed> {
        let body = json!({"script": body, "args": []});
        self.session.post("/execute/sync", &body)
    }

    /// Clicks what a CSS selector finds first, as soon as it can be clicked.
    pub(crate) fn click(&self, selector: &str) {
        until(&format!("a click on {selector}"), || {
            self.bring_into_view(selector)?;
            self.session.find(selector)?.post("click", &json!({}))
        });
    }

    /// Into the middle, where nothing that stays at an edge covers it.
    fn bring_into_view(&self, selector: &str) -> Result<(), Failed> {
        let script = format!(
            "document.querySelector({})?.scrollIntoView({{block: 'center', behavior: 'instant'}})",
            json!(selector)
        );
        self.try_run(&script).map(drop)
    }

    /// Types into a field, in place of what is there.
    pub(crate) fn fill(&self, selector: &str, text: &str) {
        until(&format!("{selector} is there to be filled"), || {
            self.bring_into_view(selector)?;
            let field = self.session.find(selector)?;
            field.post("clear", &json!({}))?;
            field.post("value", &json!({"text": text}))
        });
    }

    /// Presses keys one after another, whatever has the focus.
    pub(crate) fn press(&self, keys: &str) {
        let strokes = keys.chars().flat_map(|key| {
            ["keyDown", "keyUp"].map(|what| json!({"type": what, "value": key.to_string()}))
        });
        let actions: Vec<Value> = strokes.collect();
        let keyboard = json!({"type": "key", "id": "keyboard", "actions": actions});
        self.session
            .post("/actions", &json!({"actions": [keyboard]}))
            .unwrap();
    }

    /// Waits until an expression is true in the page.
    pub(crate) fn wait_for(&self, expression: &str) {
        until(expression, || {
            match self.try_run(&format!("return Boolean({expression})"))? {
                Value::Bool(true) => Ok(()),
                _ => Err(Failed("it is not".to_owned())),
            }
        });
    }

    /// Waits until what a CSS selector finds first shows this text.
    pub(crate) fn wait_for_text(&self, selector: &str, text: &str) {
        self.wait_for(&format!(
            "document.querySelector({})?.innerText.includes({})",
            json!(selector),
            json!(text)
        ));
    }

    /// The visible text of what a CSS selector finds first.
    pub(crate) fn text(&self, selector: &str) -> String {
        let text = self.run(&format!(
            "return document.querySelector({})?.innerText",
            json!(selector)
        ));
        text.as_str()
            .unwrap_or_else(|| panic!("nothing is {selector}"))
            .to_owned()
    }

    /// Makes it a window of so many CSS pixels; a narrow one is a phone's.
    pub(crate) fn resize(&self, width: u32, height: u32) {
        let parameters = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500,
        });
        self.session
            .devtools("Emulation.setDeviceMetricsOverride", &parameters);
    }

    pub(crate) fn prefer(&self, scheme: Scheme) {
        let value = match scheme {
            Scheme::Light => "light",
            Scheme::Dark => "dark",
        };
        let features = json!([{"name": "prefers-color-scheme", "value": value}]);
        self.session
            .devtools("Emulation.setEmulatedMedia", &json!({"features": features}));
    }

    /// What came to the console since it was read last: errors of scripts, of the network, and of the security policy.
    pub(crate) fn console(&self) -> Vec<String> {
        let entries = self.session.log("browser");
        entries
            .iter()
            .map(|entry| entry["message"].as_str().unwrap().to_owned())
            .collect()
    }

    /// All URLs that were asked for since they were read last.
    pub(crate) fn requested(&self) -> Vec<String> {
        let entries = self.session.log("performance");
        let messages = entries.iter().map(|entry| {
            let message = entry["message"].as_str().unwrap();
            serde_json::from_str::<Value>(message).unwrap()["message"].take()
        });
        messages
            .filter(|message| message["method"] == "Network.requestWillBeSent")
            .map(|message| {
                message["params"]["request"]["url"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            })
            .collect()
    }

    /// Saves what is shown as a picture, and says where.
    fn save_picture(&self) -> Option<PathBuf> {
        let parameters = json!({"cmd": "Page.captureScreenshot", "params": {}});
        let picture = self.session.post("/goog/cdp/execute", &parameters).ok()?;
        let picture = BASE64_STANDARD.decode(picture["data"].as_str()?).ok()?;
        let test = thread::current()
            .name()
            .unwrap_or("test")
            .replace("::", "-");
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test + ".png");
        fs::write(&path, picture).ok()?;
        Some(path)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if thread::panicking() {
            let console = self.session.post("/se/log", &json!({"type": "browser"}));
            eprintln!("the browser's console: {console:#?}");
            eprintln!("what it showed: {:?}", self.save_picture());
        }
        self.session.end();
    }
}

/// Tries until it succeeds; a browser does things in its own time.
fn until(what: &str, mut attempt: impl FnMut() -> Result<(), Failed>) {
    let end = Instant::now() + PATIENCE;
    while let Err(Failed(why)) = attempt() {
        assert!(
            Instant::now() < end,
            "not within {PATIENCE:?}: {what}: {why}"
        );
        thread::sleep(PAUSE);
    }
}
