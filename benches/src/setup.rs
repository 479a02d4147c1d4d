//! What a benchmark has to say of itself.
//!
//! Must not know: how anything is measured.

use std::{io, net::Ipv4Addr};

use crate::Column;

/// A server, among those that are compared.
pub trait Setup: Copy + PartialEq + 'static {
    /// What servers have behind them; `()` if they have nothing.
    type Backend: Backend;

    /// In the order of the table.
    const ALL: &'static [Self];
    /// What the table tells of each.
    const COLUMNS: &'static [Column];
    /// The one that others are compared with by [`Column::RequestsOfPeer`].
    const PEER: Option<Self> = None;

    /// What it is called, in the table and on the command line.
    fn name(self) -> String;

    /// The server without a guard that this one is compared with.
    fn baseline(self) -> Self;

    /// How many clients take turns.
    fn clients(self) -> u32 {
        10_000
    }

    /// How often each client has to pass until its requests are answered as they will be from then on.
    fn passes_until_steady(self) -> usize {
        2
    }

    /// The status that every request has to get from then on.
    fn status(self) -> u16 {
        200
    }

    /// The path of the request of this number.
    fn path(self, number: u32) -> String {
        let _ = number;
        "/".to_owned()
    }

    /// Header lines of a client's requests, besides the one that names it; each ends with CR LF.
    fn header_lines(self, client: Ipv4Addr) -> String {
        let _ = client;
        String::new()
    }

    /// Serves with one worker, until the process ends.
    ///
    /// # Errors
    ///
    /// If it cannot be set up.
    fn serve(self, backend: &str) -> io::Result<()>;
}

/// What servers have behind them, such as a database. It ends when it is dropped.
pub trait Backend: Sized {
    /// Starts it.
    fn start() -> Self;

    /// Where servers find it.
    fn address(&self) -> String;

    /// Lets it forget everything, before a server starts.
    fn reset(&self);

    /// Seconds of the processor that it has used; `None` if it doesn't tell.
    fn cpu_seconds(&self) -> Option<f64>;
}

impl Backend for () {
    fn start() -> Self {}

    fn address(&self) -> String {
        String::new()
    }

    fn reset(&self) {}

    fn cpu_seconds(&self) -> Option<f64> {
        None
    }
}
