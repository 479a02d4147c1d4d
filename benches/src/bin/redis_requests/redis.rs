//! The Redis server that all servers share, one after another.

use actix_web_guard_benches::Backend;
use redis_servers::Server;

pub(crate) struct Redis(Server);

impl Backend for Redis {
    fn start() -> Self {
        Self(Server::start())
    }

    fn address(&self) -> String {
        self.0.url()
    }

    fn reset(&self) {
        self.0.command(&["FLUSHALL"]);
    }

    fn cpu_seconds(&self) -> Option<f64> {
        let seconds = |field| self.0.info(field)?.parse::<f64>().ok();
        Some(seconds("used_cpu_user")? + seconds("used_cpu_sys")?)
    }
}
