//! How one client stands.
//!
//! Must not know: requests.

use serde::Serialize;

use crate::{
    bans::Ban,
    client_state::{ClientState, ClientWindow},
};

use super::{BanAnswer, seconds};

#[derive(Debug, Serialize)]
pub(in crate::admin) struct ClientAnswer {
    client: String,
    ban: Option<BanAnswer>,
    strikes: u32,
    strike_limit: u32,
    /// Seconds.
    strikes_expire: Option<f64>,
    windows: Vec<WindowAnswer>,
    redis_cli: Vec<String>,
}

/// Times are in seconds.
#[derive(Debug, Serialize)]
struct WindowAnswer {
    name: String,
    pattern: Option<String>,
    methods: Vec<String>,
    requests: u32,
    window: f64,
    used: u32,
    remaining: u32,
    reset: f64,
}

impl ClientAnswer {
    pub(in crate::admin) fn of(client: String, state: ClientState, ban: Option<&Ban>) -> Self {
        Self {
            client,
            ban: ban.map(BanAnswer::from),
            strikes: state.strikes,
            strike_limit: state.strike_limit,
            strikes_expire: state.strikes_left_millis.map(seconds),
            windows: state.windows.into_iter().map(WindowAnswer::from).collect(),
            redis_cli: state.redis_cli,
        }
    }
}

impl From<ClientWindow> for WindowAnswer {
    fn from(window: ClientWindow) -> Self {
        Self {
            name: window.name,
            pattern: window.pattern,
            methods: window.methods,
            requests: window.quota.requests,
            window: seconds(window.quota.window_millis),
            used: window.used,
            remaining: window.remaining,
            reset: seconds(window.reset_millis),
        }
    }
}
