//! How far a replay is, on a terminal.
//!
//! Must not know: what is replayed.

use std::{
    cell::Cell,
    io::{self, IsTerminal as _},
    rc::Rc,
};

use indicatif::{ProgressBar, ProgressStyle};

use crate::input::Logs;

/// Looking at the bar costs more than a line does.
const LINES_PER_LOOK: u64 = 8192;

pub(super) struct Progress {
    bar: ProgressBar,
    bytes: Rc<Cell<u64>>,
    lines: u64,
}

impl Progress {
    pub(super) fn start(logs: &Logs) -> Self {
        let (bar, template) = match logs.total_bytes() {
            _ if !io::stderr().is_terminal() => (ProgressBar::hidden(), "{msg}"),
            Some(total) => (
                ProgressBar::new(total),
                "{wide_bar} {bytes}/{total_bytes} {eta}",
            ),
            None => (ProgressBar::new_spinner(), "{spinner} {bytes} read"),
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self {
            bar,
            bytes: logs.bytes(),
            lines: 0,
        }
    }

    pub(super) fn line(&mut self) {
        self.lines += 1;
        if self.lines.is_multiple_of(LINES_PER_LOOK) {
            self.bar.set_position(self.bytes.get());
        }
    }

    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}
