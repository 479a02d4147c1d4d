//! The list of bans as an operator looks at it: a part of it that matches, page by page.
//!
//! Must not know: requests.

use std::{
    collections::{HashMap, HashSet},
    time::SystemTime,
};

use crate::{
    bans::{Ban, BanSource},
    client::ClientKey,
    engine::Engine,
};

use super::answers::{BanAnswer, BansAnswer};

/// Which bans are wanted.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) filter: Option<String>,
    pub(super) by: Option<BanSource>,
    /// From 1.
    pub(super) page: usize,
    pub(super) per_page: usize,
}

/// A page of the bans that match.
pub(super) async fn page(engine: &Engine, wanted: &Wanted) -> BansAnswer {
    let settings = engine.settings();
    let store = engine.store(settings.passive);
    let bans = engine.ban_listing.read(store, settings.passive).await;
    let now = settings.clock.wall();
    let filter = Filter::new(wanted, settings.ipv6_prefix);
    let in_force = bans.iter().filter(|ban| ban.until > now);
    let mut total = 0;
    let before = wanted.per_page.saturating_mul(wanted.page - 1);
    let mut shown = Vec::new();
    for ban in in_force.filter(|ban| filter.matches(ban)) {
        if total >= before && shown.len() < wanted.per_page {
            shown.push(BanAnswer::from(&as_of(ban, now)));
        }
        total += 1;
    }
    BansAnswer {
        bans: shown,
        total,
        page: wanted.page,
        per_page: wanted.per_page,
        pages: total.div_ceil(wanted.per_page).max(1),
    }
}

/// The bans of some clients, by client.
pub(super) async fn of_clients(engine: &Engine, clients: &[ClientKey]) -> HashMap<String, Ban> {
    let settings = engine.settings();
    let store = engine.store(settings.passive);
    let bans = engine.ban_listing.read(store, settings.passive).await;
    let now = settings.clock.wall();
    let wanted: HashSet<String> = clients.iter().map(ToString::to_string).collect();
    let in_force = bans.iter().filter(|ban| ban.until > now);
    let theirs = in_force.filter(|ban| wanted.contains(&ban.client));
    let by_client = theirs.map(|ban| (ban.client.clone(), as_of(ban, now)));
    by_client.collect()
}

/// A ban that was read a while ago, as it stands now.
fn as_of(ban: &Ban, now: SystemTime) -> Ban {
    Ban {
        remaining: ban.until.duration_since(now).unwrap_or_default(),
        ..ban.clone()
    }
}

struct Filter {
    /// In lower case.
    text: Option<String>,
    /// The client whose address the text is.
    client: Option<String>,
    by: Option<BanSource>,
}

impl Filter {
    fn new(wanted: &Wanted, ipv6_prefix: u8) -> Self {
        let text = wanted.filter.as_deref().map(str::trim);
        let text = text.filter(|text| !text.is_empty());
        let client = text.and_then(|text| ClientKey::parse(text, ipv6_prefix));
        Self {
            text: text.map(str::to_lowercase),
            client: client.map(|client| client.to_string()),
            by: wanted.by,
        }
    }

    fn matches(&self, ban: &Ban) -> bool {
        let holds = |text: &str| {
            ban.client.contains(text)
                || ban.reason.to_lowercase().contains(text)
                || self.client.as_deref() == Some(&ban.client)
        };
        self.by.is_none_or(|by| by == ban.by) && self.text.as_deref().is_none_or(holds)
    }
}
