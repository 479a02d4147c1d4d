//! What is compared.

use std::io;

use actix_web_guard::{ConfigError, Guard, RedisWindows, SecurityConfig};
use actix_web_guard_benches::{Column, Setup};

use super::{redis::Redis, server};

/// The limit where none is to be reached, of requests a minute and client.
pub(crate) const NEVER_REACHED: u32 = 100_000;

/// A server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compared {
    Bare,
    Redis,
    Banned,
    LocalWindows,
    Peer,
}

impl Setup for Compared {
    type Backend = Redis;

    const ALL: &'static [Self] = &[
        Self::Bare,
        Self::Redis,
        Self::Banned,
        Self::LocalWindows,
        Self::Peer,
    ];
    const COLUMNS: &'static [Column] = &[
        Column::Requests,
        Column::RequestsOfBare,
        Column::RequestsOfPeer,
        Column::HalfWaited,
        Column::NearlyAllWaited,
        Column::Cpu,
        Column::BackendCpu,
        Column::Instructions,
        Column::InstructionsOverBare,
    ];
    const PEER: Option<Self> = Some(Self::Peer);

    fn name(self) -> String {
        let name = match self {
            Self::Bare => "bare",
            Self::Redis => "redis",
            Self::Banned => "redis, banned",
            Self::LocalWindows => "redis, local windows",
            Self::Peer => "actix-extensible-rate-limit on Redis",
        };
        name.to_owned()
    }

    fn baseline(self) -> Self {
        Self::Bare
    }

    /// Of the banned ones, as many as the hot ban cache surely holds.
    fn clients(self) -> u32 {
        match self {
            Self::Banned => 5000,
            _ => 10_000,
        }
    }

    /// A banned one is asked about once more after its ban was told, and what is told of others at that moment may hinder
    /// its ban from being remembered.
    fn passes_until_steady(self) -> usize {
        match self {
            Self::Banned => 4,
            _ => 2,
        }
    }

    fn status(self) -> u16 {
        match self {
            Self::Banned => 403,
            _ => 200,
        }
    }

    fn serve(self, backend: &str) -> io::Result<()> {
        server::run(self, backend)
    }
}

impl Compared {
    /// The guard with everything at its defaults but for what the set-up is about.
    pub(crate) fn guard(self, redis: &str) -> Result<Guard, ConfigError> {
        let builder = SecurityConfig::builder().store(redis);
        let builder = match self {
            Self::Banned => builder
                .rate_limit(1)
                .auto_ban_threshold(0)
                .auto_ban_duration(3600),
            _ => builder.rate_limit(NEVER_REACHED.into()),
        };
        let builder = match self {
            Self::LocalWindows => builder.redis_windows(RedisWindows::Local),
            _ => builder,
        };
        Ok(Guard::new(builder.build()?))
    }
}
