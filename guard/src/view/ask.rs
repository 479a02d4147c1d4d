//! What the store is asked, and in whose name.
//!
//! Must not know: what the answers lead to.

use std::borrow::Cow;

use actix_web::dev::ServiceRequest;
use smallvec::SmallVec;

use crate::{
    client::Client,
    config::StoreFailurePolicy,
    decision::{Answer, Cause, CountedBy, Decision, Hit, LogHit, Subject},
    route::AnnotatedKey,
};

use super::{KEY_BY, View, Windows};

type Logs<'a> = SmallVec<[LogHit<'a>; 2]>;

/// A key function with what it gave; `None` for a log that counts by the client's address.
type Value<'a> = Option<(AnnotatedKey, Option<Cow<'a, str>>)>;

/// What `key_by` gave for a request; `None`: it counts by the client's address.
pub(crate) type GlobalValue = Option<Box<str>>;

impl View {
    /// Asks the store about a request that counts in `windows`. `strikes`: whether a violation is a strike.
    #[inline]
    pub(crate) fn ask(
        &self,
        client: &Client,
        cause: Cause<'_>,
        windows: &Windows,
        strikes: bool,
        request: &ServiceRequest,
    ) -> Answer<Decision> {
        if let [windows] = windows.as_slice()
            && let Some(log) = windows.only_log_by_address(client)
        {
            return self.decide(client, cause, &[log], strikes);
        }
        self.ask_about_logs(client, cause, windows, strikes, request)
    }

    fn ask_about_logs(
        &self,
        client: &Client,
        cause: Cause<'_>,
        windows: &Windows,
        strikes: bool,
        request: &ServiceRequest,
    ) -> Answer<Decision> {
        let keys = windows.iter().flat_map(|windows| windows.keys());
        let values: SmallVec<[Value<'_>; 2]> = keys
            .map(|key| key.map(|key| (key, (key.function)(request))))
            .collect();
        let mut counted = values.iter().map(|value| match value {
            None => (Subject::Client(client.key()), None),
            Some((key, value)) => self.counted_by(client, *key, value.as_deref()),
        });
        let mut logs = Logs::new();
        for windows in windows {
            for log in windows.logs(&mut counted) {
                logs.push(log);
            }
        }
        self.decide(client, cause, &logs, strikes)
    }

    /// Asks the store about a request that counts in no window.
    pub(crate) fn ask_without_windows(
        &self,
        client: &Client,
        cause: Cause<'_>,
    ) -> Answer<Decision> {
        self.decide(client, cause, &[], true)
    }

    /// Asks the store only whether the client of a request for an exempt route is banned; `None` if that can't be. Whatever the failure
    /// policy is, such a route is served while nobody knows: health checks of a server must not depend on another.
    pub(crate) fn ask_about_ban(&self, client: &Client) -> Option<Answer<Decision>> {
        let bans = self.settings.enable_ip_banning && client.can_be_struck();
        bans.then(|| {
            self.store().decide(&Hit {
                client: client.key(),
                cause: Cause::Request,
                logs: &[],
                count_rejected: self.settings.count_rejected,
                bans,
                strikes: None,
                on_store_failure: StoreFailurePolicy::Open,
            })
        })
    }

    /// What `key_by` gives for a request that will be out of reach; `None` without such a function.
    #[inline]
    pub(crate) fn global_value(&self, request: &ServiceRequest) -> Option<GlobalValue> {
        let key_by = self.settings.key_by?;
        Some(key_by(request).map(Into::into))
    }

    /// Asks the store about a request that is out of reach, in the inner service or answered: it counts by its address, and in the global
    /// window by what was kept of it.
    pub(crate) fn ask_detached(
        &self,
        client: &Client,
        windows: &Windows,
        global_value: Option<&GlobalValue>,
    ) -> Answer<Decision> {
        self.detached(client, windows, global_value, true)
    }

    /// The same of a request that counts apart, and is nobody's strike.
    pub(crate) fn ask_detached_apart(
        &self,
        client: &Client,
        windows: &Windows,
    ) -> Answer<Decision> {
        self.detached(client, windows, None, false)
    }

    fn detached(
        &self,
        client: &Client,
        windows: &Windows,
        global_value: Option<&GlobalValue>,
        strikes: bool,
    ) -> Answer<Decision> {
        let counted = |key: Option<AnnotatedKey>| match (key, global_value) {
            (None, _) => Some((Subject::Client(client.key()), None)),
            (Some(key), Some(value)) if key.name == KEY_BY => {
                Some(self.counted_by(client, key, value.as_deref()))
            }
            (Some(_), _) => None,
        };
        let logs: Logs<'_> = windows
            .iter()
            .flat_map(|windows| windows.logs_where(counted))
            .collect();
        self.decide(client, Cause::Request, &logs, strikes)
    }

    fn counted_by<'a>(
        &self,
        client: &Client,
        key: AnnotatedKey,
        value: Option<&'a str>,
    ) -> (Subject, Option<CountedBy<'a>>) {
        let hash = self.engine.value(key.name, value, client.key());
        let counted_by = CountedBy {
            function: key.name,
            value,
        };
        (Subject::Value(hash), Some(counted_by))
    }

    #[inline]
    fn decide(
        &self,
        client: &Client,
        cause: Cause<'_>,
        logs: &[LogHit<'_>],
        strikes: bool,
    ) -> Answer<Decision> {
        self.store().decide(&Hit {
            client: client.key(),
            cause,
            logs,
            count_rejected: self.settings.count_rejected,
            // A ban that the proxy's own address earned without it is not one of everybody behind it.
            bans: self.settings.enable_ip_banning && client.can_be_struck(),
            strikes: self.strikes.filter(|_| strikes && client.can_be_struck()),
            on_store_failure: self.settings.on_store_failure,
        })
    }
}
