//! The handle: bans, reports of threats and reloads, for handlers and for the code around the server.
//!
//! Must not know: how routes decide, responses.

mod ban_stream;
mod error;
mod extract;

use std::{fmt, net::IpAddr, sync::Arc, time::Duration};

use actix_web::{HttpMessage as _, HttpRequest};

use crate::{
    bans::{Ban, LONGEST_BAN},
    client::{Client, ClientKey, identify},
    clock::millis,
    config::{SecurityConfig, Settings},
    decision::{Cause, Outcome, StoreState},
    engine::Engine,
    judge::{BANS, say_banned, say_report},
    route::Tickets,
    telemetry::StrikeCause,
    view::View,
};

pub use ban_stream::BanStream;
pub use error::GuardError;

/// Marks a request that was reported as a threat: it is not struck twice.
struct Reported;

/// Lists, sets and lifts bans, takes reports, and puts a changed configuration in force.
///
/// From [`Guard::handle`](crate::Guard::handle), from [`GuardHandle::of`] a configuration, or as an extractor in handlers:
///
/// ```
/// use actix_web::{HttpRequest, HttpResponse, post};
/// use actix_web_guard::GuardHandle;
///
/// # fn check(_: &str) -> bool { false }
/// #[post("/login")]
/// async fn login(request: HttpRequest, body: String, guard: GuardHandle) -> HttpResponse {
///     if check(&body) {
///         return HttpResponse::Ok().finish();
///     }
///     guard.report_threat(&request, "failed login").await;
///     HttpResponse::Unauthorized().finish()
/// }
/// ```
#[derive(Clone, Debug)]
pub struct GuardHandle {
    engine: Arc<Engine>,
}

impl GuardHandle {
    pub(crate) fn new(engine: Arc<Engine>) -> Self {
        Self { engine }
    }

    #[cfg(feature = "admin")]
    pub(crate) fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// The handle of the guard that a configuration (with all its clones) makes.
    #[must_use]
    pub fn of(config: &SecurityConfig) -> Self {
        Self::new(Engine::of(config))
    }

    /// Bans a client for `duration`, from a second to ten years, in place of a ban that is there. `address` is an address in any
    /// spelling, or a network as bans are listed; an IPv6 address stands for its network. The strikes of the client are gone.
    ///
    /// Exempt addresses are served even so.
    ///
    /// # Errors
    ///
    /// [`GuardError`] if `enable_ip_banning` is off, or if address or duration can't be.
    pub async fn ban(
        &self,
        address: impl fmt::Display,
        duration: Duration,
        reason: &str,
    ) -> Result<Ban, GuardError> {
        let settings = self.engine.settings();
        let client = key(&settings, &address)?;
        if !settings.enable_ip_banning {
            return Err(GuardError::BanningDisabled);
        }
        if !(Duration::from_secs(1)..=LONGEST_BAN).contains(&duration) {
            return Err(GuardError::InvalidDuration(duration));
        }
        let ban = self
            .engine
            .store(settings.passive)
            .ban(client, millis(duration), reason)
            .wait()
            .await;
        let seconds = duration.as_secs();
        tracing::warn!(target: BANS, client = %ban.client, ?reason, seconds, passive = settings.passive, "banned by hand");
        self.engine.meters.banned(ban.by);
        self.engine.meters.bans_changed(&self.engine);
        Ok(ban)
    }

    /// Lifts the ban of a client and clears its strikes; whether there was a ban. Any address of a banned IPv6 network will do. A ban from before
    /// `ipv6_prefix` was changed holds no more, and is lifted by its network, as in `2001:db8:1:2::/64`.
    ///
    /// # Errors
    ///
    /// [`GuardError::InvalidAddress`].
    pub async fn unban(&self, address: impl fmt::Display) -> Result<bool, GuardError> {
        let settings = self.engine.settings();
        let client = listed_key(&settings, &address)?;
        let lifted = self
            .engine
            .store(settings.passive)
            .unban(client)
            .wait()
            .await;
        if lifted {
            tracing::warn!(target: BANS, %client, "ban lifted");
            self.engine.meters.ban_lifted();
            self.engine.meters.bans_changed(&self.engine);
        }
        Ok(lifted)
    }

    /// The ban of a client, if there is one.
    ///
    /// # Errors
    ///
    /// [`GuardError::InvalidAddress`].
    pub async fn ban_of(&self, address: impl fmt::Display) -> Result<Option<Ban>, GuardError> {
        let settings = self.engine.settings();
        let client = listed_key(&settings, &address)?;
        Ok(self
            .engine
            .store(settings.passive)
            .ban_of(client)
            .wait()
            .await)
    }

    /// All bans in force, the one that ends soonest first. They are read when the stream is first polled.
    #[must_use]
    pub fn bans(&self) -> BanStream {
        let engine = Arc::clone(&self.engine);
        let read = async move {
            let passive = engine.settings().passive;
            let answer = engine.store(passive).bans();
            answer.wait().await
        };
        BanStream::reading(read)
    }

    /// Reports that a request turned out to be a threat, such as a failed login: a strike for its client, on the same counter as
    /// violations of limits. The ban, if it brought one. The request itself is answered as the handler likes.
    ///
    /// One request is at most one strike: further reports of it are only logged. Clients that can't be banned (without an address,
    /// or behind a proxy that nobody declared) are not struck.
    pub async fn report_threat(&self, request: &HttpRequest, reason: &str) -> Option<Ban> {
        let again = self.mark_struck(request);
        let view = View::new(Arc::clone(&self.engine));
        let known = request.extensions().get::<Client>().cloned();
        let client = known.unwrap_or_else(|| client_of(request, &view.settings));
        say_report(&view, &client, reason, request.path());
        if again || !client.can_be_struck() || !view.settings.enable_ip_banning {
            return None;
        }
        self.engine.meters.struck(StrikeCause::Report);
        let answer = view.ask_without_windows(&client, Cause::Threat(reason));
        let (passive, clock) = (view.settings.passive, Arc::clone(&view.settings.clock));
        drop(view);
        let decision = answer.wait().await;
        match decision.outcome {
            Outcome::Banned(ban) if decision.newly_banned => {
                say_banned(&self.engine, &client, &ban, passive);
                Some(ban.to_ban(client.key(), clock.now_millis(), clock.wall()))
            }
            _ => None,
        }
    }

    /// Has the guards of a request know that it is not clean; whether it has had its strike.
    fn mark_struck(&self, request: &HttpRequest) -> bool {
        let mut extensions = request.extensions_mut();
        let mut was_struck = false;
        let tickets = extensions.get::<Tickets>();
        for ticket in tickets.into_iter().flat_map(Tickets::iter) {
            // What another guard struck it for is none of this one's business.
            was_struck |= ticket.strike() && Arc::ptr_eq(&ticket.view.engine, &self.engine);
        }
        extensions.insert(Reported).is_some() || was_struck
    }

    /// Whether the store can be asked: a store on Redis may be out of reach, and `on_store_failure` applies.
    ///
    /// Bans can be set, lifted and listed all the same: they are in force here at once and written when the store is back. Only those that
    /// are known here are listed until then.
    #[must_use]
    pub fn store_state(&self) -> StoreState {
        self.engine.store(self.engine.settings().passive).state()
    }

    /// Puts another configuration in force, for requests from now on and for windows that are running: a limit that is raised fills
    /// up anew, one that is lowered counts what is there. Files that lists of addresses name (`file:PATH`) are read again; where one
    /// can't be, what was read last stays in force.
    ///
    /// # Errors
    ///
    /// [`GuardError::Config`] if a file can't be read any more.
    /// [`GuardError::FixedAtStart`] if it differs in a field that can't change while the guard runs (`store`, all of `redis_*`,
    /// `max_clients`, `max_bans`, `ban_file`, `ban_cache_entries`, `crawler_name_servers`, and the clock). Nothing is changed then.
    pub fn reload(&self, config: &SecurityConfig) -> Result<(), GuardError> {
        let (old, new) = (self.engine.settings(), config.settings());
        if let Some(field) = fixed_field(&old, new) {
            return Err(GuardError::FixedAtStart(field));
        }
        let read = config.reread_settings().map_err(GuardError::Config)?;
        self.engine.replace(read);
        let from_environment = config.environment_overrides().join(", ");
        tracing::info!(from_environment, "configuration reloaded");
        Ok(())
    }
}

/// A field that differs although it can't.
fn fixed_field(old: &Settings, new: &Settings) -> Option<&'static str> {
    let differs = [
        ("store", old.store != new.store),
        (
            "redis_sentinel_master",
            old.redis_sentinel_master != new.redis_sentinel_master,
        ),
        ("redis_prefix", old.redis_prefix != new.redis_prefix),
        ("redis_cluster", old.redis_cluster != new.redis_cluster),
        ("redis_timeout_ms", old.redis_timeout != new.redis_timeout),
        ("redis_windows", old.redis_windows != new.redis_windows),
        ("max_clients", old.max_clients != new.max_clients),
        ("max_bans", old.max_bans != new.max_bans),
        ("ban_file", old.ban_file != new.ban_file),
        (
            "ban_cache_entries",
            old.ban_cache_entries != new.ban_cache_entries,
        ),
        #[cfg(feature = "verify-crawlers")]
        (
            "crawler_name_servers",
            old.crawler_name_servers != new.crawler_name_servers,
        ),
        ("clock", !Arc::ptr_eq(&old.clock, &new.clock)),
    ];
    differs
        .into_iter()
        .find(|(_, differs)| *differs)
        .map(|(field, _)| field)
}

fn key(settings: &Settings, address: &impl fmt::Display) -> Result<ClientKey, GuardError> {
    let text = address.to_string();
    ClientKey::parse(&text, settings.ipv6_prefix).ok_or(GuardError::InvalidAddress(text))
}

/// Of a ban that may be older than the prefix in force.
fn listed_key(settings: &Settings, address: &impl fmt::Display) -> Result<ClientKey, GuardError> {
    let text = address.to_string();
    ClientKey::parse_listed(&text, settings.ipv6_prefix).ok_or(GuardError::InvalidAddress(text))
}

fn client_of(request: &HttpRequest, settings: &Settings) -> Client {
    let peer: Option<IpAddr> = request.peer_addr().map(|address| address.ip());
    identify(
        peer,
        request.headers(),
        &settings.proxy_trust,
        settings.ipv6_prefix,
        0,
    )
}

#[cfg(test)]
mod tests;
