//! Bans as values: what is kept of one, and what people see of it.
//!
//! Must not know: where bans are kept.

use std::{
    fmt,
    time::{Duration, SystemTime},
};

use crate::client::ClientKey;

/// Longest ban that somebody may set: ten years.
pub(crate) const LONGEST_BAN: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

/// Who banned a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BanSource {
    /// The strikes exceeded `auto_ban_threshold`.
    Automatic,
    /// [`GuardHandle::ban`](crate::GuardHandle::ban).
    Manual,
}

impl BanSource {
    /// `automatic` or `manual`, as in the ban file.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Automatic => "automatic",
            Self::Manual => "manual",
        }
    }
}

impl fmt::Display for BanSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A ban on the store's clock, in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BanRecord {
    pub(crate) since_millis: u64,
    pub(crate) until_millis: u64,
    pub(crate) reason: Box<str>,
    pub(crate) by: BanSource,
}

impl BanRecord {
    /// After the clock stepped back, a ban that lies in the future began now: it is never longer than it was meant to be.
    pub(crate) fn not_after(&mut self, now_millis: u64) {
        let ahead = self.since_millis.saturating_sub(now_millis);
        self.since_millis -= ahead;
        self.until_millis -= ahead;
    }

    /// The same ban on another clock, where it is `now_millis` and so much is left.
    #[cfg(feature = "redis")]
    pub(crate) fn on_clock(&self, now_millis: u64, left_millis: u64) -> Self {
        let until_millis = now_millis.saturating_add(left_millis);
        let length = self.until_millis.saturating_sub(self.since_millis);
        Self {
            since_millis: until_millis.saturating_sub(length).min(now_millis),
            until_millis,
            ..self.clone()
        }
    }

    /// As people read it.
    pub(crate) fn to_ban(&self, client: ClientKey, now_millis: u64, wall: SystemTime) -> Ban {
        let ago = Duration::from_millis(now_millis.saturating_sub(self.since_millis));
        let left = Duration::from_millis(self.until_millis.saturating_sub(now_millis));
        Ban {
            client: client.to_string(),
            reason: self.reason.to_string(),
            since: wall.checked_sub(ago).unwrap_or(SystemTime::UNIX_EPOCH),
            until: wall.checked_add(left).unwrap_or(wall),
            remaining: left,
            by: self.by,
        }
    }
}

/// A ban that is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ban {
    /// Whom it hits: an IPv4 address, or an IPv6 network such as `2001:db8:1:2::/64`.
    pub client: String,
    /// Why.
    pub reason: String,
    /// When it began.
    pub since: SystemTime,
    /// When it ends by itself.
    pub until: SystemTime,
    /// How long it was to last when it was read.
    pub remaining: Duration,
    /// Who set it.
    pub by: BanSource,
}
