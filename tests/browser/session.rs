//! A session of a browser: commands of WebDriver and of the Chrome DevTools Protocol, as JSON over HTTP.
//!
//! Must not know: pages.

use std::time::Duration;

use serde_json::{Value, json};
use ureq::Agent;

use super::driver::{Driver, chromium};

/// A browser takes a while to start on a machine under load.
const PATIENCE: Duration = Duration::from_secs(60);

/// What WebDriver calls an element in JSON.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

const ARGUMENTS: [&str; 5] = [
    "--headless=new",
    // In containers tests run as root, and shared memory is small.
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    // Whatever is asked for is asked by the page.
    "--disable-background-networking",
];

/// A command failed: what WebDriver says.
#[derive(Debug)]
pub(super) struct Failed(pub(super) String);

pub(super) struct Session {
    agent: Agent,
    url: String,
}

impl Session {
    /// A new browser.
    pub(super) fn start(driver: &Driver) -> Self {
        let agent = Agent::config_builder()
            .timeout_global(Some(PATIENCE))
            .http_status_as_error(false)
            .proxy(None)
            .build()
            .new_agent();
        let url = format!("http://127.0.0.1:{}/session", driver.port);
        let mut session = Self { agent, url };
        let started = session.post(
            "",
            &json!({"capabilities": {"alwaysMatch": capabilities()}}),
        );
        let started = started.expect("Chromium starts: ./test installs it");
        session.url += &format!("/{}", started["sessionId"].as_str().unwrap());
        session
    }

    pub(super) fn end(&self) {
        drop(self.agent.delete(&self.url).call());
    }

    pub(super) fn post(&self, path: &str, body: &Value) -> Result<Value, Failed> {
        let url = format!("{}{path}", self.url);
        let answer = self.agent.post(&url).send(body.to_string());
        let answer = answer.and_then(|mut answer| answer.body_mut().read_to_string());
        let answer = answer.map_err(|error| Failed(error.to_string()))?;
        let mut answer: Value = serde_json::from_str(&answer).unwrap();
        let value = answer["value"].take();
        match value["error"].as_str() {
            Some(error) => Err(Failed(format!("{error}: {}", value["message"]))),
            None => Ok(value),
        }
    }

    /// A command of the Chrome DevTools Protocol.
    pub(super) fn devtools(&self, command: &str, parameters: &Value) -> Value {
        let body = json!({"cmd": command, "params": parameters});
        self.post("/goog/cdp/execute", &body).unwrap()
    }

    /// The element that a CSS selector finds first.
    pub(super) fn find(&self, selector: &str) -> Result<Element<'_>, Failed> {
        let body = json!({"using": "css selector", "value": selector});
        let found = self.post("/element", &body)?;
        let id = found[ELEMENT].as_str().unwrap();
        Ok(Element {
            session: self,
            path: format!("/element/{id}"),
        })
    }

    /// What has come to a log since it was read last: `browser` or `performance`.
    pub(super) fn log(&self, kind: &str) -> Vec<Value> {
        let entries = self.post("/se/log", &json!({"type": kind})).unwrap();
        entries.as_array().unwrap().clone()
    }
}

pub(super) struct Element<'a> {
    session: &'a Session,
    path: String,
}

impl Element<'_> {
    pub(super) fn post(&self, command: &str, body: &Value) -> Result<(), Failed> {
        let path = format!("{}/{command}", self.path);
        self.session.post(&path, body).map(drop)
    }
}

fn capabilities() -> Value {
    let mut options = json!({"args": ARGUMENTS});
    if let Some(binary) = chromium() {
        options["binary"] = json!(binary);
    }
    json!({
        "browserName": "chrome",
        "goog:chromeOptions": options,
        "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
    })
}
