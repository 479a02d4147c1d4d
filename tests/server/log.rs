//! What the crate logs.
//!
//! Workers log on threads of their own, so a subscriber has to be the process's; and what is said once in a process must not have
//! been said by another test. Hence a test of the log runs in a process of its own.

use std::{
    fmt::{Debug, Write as _},
    process::Command,
    sync::{Arc, Mutex},
};

use actix_web::rt::System;
use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

/// Says to the second process that it is the one.
const ALONE: &str = "GUARD_TESTS_ALONE";

/// Events of the crate, as a subscriber without any escaping of its own would write them.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<(Level, String)>>>);

impl Log {
    pub(crate) fn lines(&self) -> Vec<(Level, String)> {
        self.0.lock().unwrap().clone()
    }

    /// The lines of a level that have all the words in them.
    pub(crate) fn with(&self, level: Level, words: &[&str]) -> Vec<String> {
        let lines = self.lines().into_iter();
        lines
            .filter(|(of, line)| *of == level && words.iter().all(|word| line.contains(word)))
            .map(|(_, line)| line)
            .collect()
    }
}

/// Runs the body of a test in a process of its own, with its log. `test` is the test's own function.
pub(crate) fn alone<T>(test: &T, body: impl AsyncFnOnce(Log)) {
    if std::env::var_os(ALONE).is_some() {
        let log = Log::default();
        tracing::subscriber::set_global_default(log.clone()).unwrap();
        System::new().block_on(body(log));
        return;
    }
    let name = std::any::type_name_of_val(test);
    let (_, name) = name.split_once("::").unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args([name, "--exact", "--nocapture"])
        .env(ALONE, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let complaints = String::from_utf8_lossy(&output.stderr);
    // A name that fits nothing would succeed as well.
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}{complaints}"
    );
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("actix_web_guard")
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        write!(line.0, "target={}", event.metadata().target()).unwrap();
        let line = (*event.metadata().level(), line.0);
        self.0.lock().unwrap().push(line);
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, "{}={value:?} ", field.name()).unwrap();
    }
}
