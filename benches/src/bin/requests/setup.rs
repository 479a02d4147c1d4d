//! What is compared: each server with the guard, and its twin without.

use std::{io, net::Ipv4Addr};

use actix_web_guard::{ConfigError, Guard, HeaderStyle, SecurityConfig};
use actix_web_guard_benches::{Column, Setup, browser, lists};

use super::server;

/// A server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compared {
    Bare,
    Served,
    ServedWithoutHeaders,
    Refused,
    Banned,
    /// Of browsers, which detectors look at; or without a guard.
    Browsers {
        guarded: bool,
    },
    /// Behind two proxies, with long lists of those that are exempt and denied; or without a guard.
    Proxied {
        guarded: bool,
    },
    /// Routes with a dynamic segment, so many of them, served as `Routes` says.
    Routes(usize, Routes),
}

/// How routes are set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Routes {
    /// Without a guard.
    Bare,
    /// In a guarded application, without limits of their own.
    Plain,
    /// In a guarded application, each with a limit of its own.
    Limited,
}

/// The routes of an application of ordinary size, and of a large one.
const FEW: usize = 20;
const MANY: usize = 1000;

impl Setup for Compared {
    type Backend = ();

    const ALL: &'static [Self] = &[
        Self::Bare,
        Self::Served,
        Self::ServedWithoutHeaders,
        Self::Refused,
        Self::Banned,
        Self::Browsers { guarded: false },
        Self::Browsers { guarded: true },
        Self::Proxied { guarded: false },
        Self::Proxied { guarded: true },
        Self::Routes(FEW, Routes::Bare),
        Self::Routes(FEW, Routes::Plain),
        Self::Routes(FEW, Routes::Limited),
        Self::Routes(MANY, Routes::Bare),
        Self::Routes(MANY, Routes::Plain),
        Self::Routes(MANY, Routes::Limited),
    ];
    const COLUMNS: &'static [Column] = &[
        Column::Requests,
        Column::RequestsOfBare,
        Column::CpuOfBare,
        Column::Instructions,
        Column::InstructionsOverBare,
    ];

    fn name(self) -> String {
        match self {
            Self::Bare => "bare".to_owned(),
            Self::Served => "served".to_owned(),
            Self::ServedWithoutHeaders => "served without headers".to_owned(),
            Self::Refused => "refused, 429".to_owned(),
            Self::Banned => "banned, 403".to_owned(),
            Self::Browsers { guarded: false } => "bare, browsers".to_owned(),
            Self::Browsers { guarded: true } => "browsers".to_owned(),
            Self::Proxied { guarded: false } => "bare, proxied".to_owned(),
            Self::Proxied { guarded: true } => "proxied, long lists".to_owned(),
            Self::Routes(count, Routes::Bare) => format!("bare, {count} routes"),
            Self::Routes(count, Routes::Plain) => format!("{count} routes, plain"),
            Self::Routes(count, Routes::Limited) => format!("{count} routes, limited"),
        }
    }

    fn baseline(self) -> Self {
        match self {
            Self::Routes(count, _) => Self::Routes(count, Routes::Bare),
            Self::Browsers { .. } => Self::Browsers { guarded: false },
            Self::Proxied { .. } => Self::Proxied { guarded: false },
            _ => Self::Bare,
        }
    }

    /// Fewer where routing alone takes a thousand times as long as anything else.
    fn clients(self) -> u32 {
        match self {
            Self::Routes(MANY, _) => 500,
            _ => 10_000,
        }
    }

    fn status(self) -> u16 {
        match self {
            Self::Refused => 429,
            Self::Banned => 403,
            _ => 200,
        }
    }

    /// Another route each time, and an id that was never asked for before.
    fn path(self, number: u32) -> String {
        match self {
            Self::Routes(count, _) => format!("/{}/{number}", number as usize * 7 % count),
            Self::Browsers { .. } => browser::TARGET.to_owned(),
            _ => "/".to_owned(),
        }
    }

    /// As a browser's, through two proxies: the peer is the second.
    fn header_lines(self, client: Ipv4Addr) -> String {
        match self {
            Self::Browsers { .. } => browser::header_lines(),
            Self::Proxied { .. } => lists::header_lines(client),
            _ => String::new(),
        }
    }

    fn serve(self, _: &str) -> io::Result<()> {
        server::run(self)
    }
}

impl Compared {
    /// The guard with everything at its defaults but for what the set-up is about.
    pub(crate) fn guard(self) -> Result<Guard, ConfigError> {
        let builder = SecurityConfig::builder();
        let builder = match self {
            Self::Refused => builder.rate_limit(1).auto_ban_threshold(1_000_000),
            Self::Banned => builder
                .rate_limit(1)
                .auto_ban_threshold(0)
                .auto_ban_duration(3600),
            // Never reached.
            _ => builder.rate_limit(100_000),
        };
        let builder = match self {
            Self::Proxied { .. } => lists::with_long_lists(builder),
            _ => builder,
        };
        let builder = match self {
            Self::ServedWithoutHeaders => builder.rate_limit_headers(HeaderStyle::Off),
            _ => builder,
        };
        Ok(Guard::new(builder.build()?))
    }
}
