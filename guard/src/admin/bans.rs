//! The list of bans as an operator looks at it: a part of it that matches, page by page.
//!
//! Must not know: requests.

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
    let in_force = |ban: &&Ban| ban.until > now && filter.matches(ban);
    let mut total = 0;
    let before = wanted.per_page.saturating_mul(wanted.page - 1);
    let mut shown = Vec::new();
    for ban in bans.iter().filter(in_force) {
        if total >= before && shown.len() < wanted.per_page {
            let remaining = ban.until.duration_since(now).unwrap_or_default();
            let ban = Ban {
                remaining,
                ..ban.clone()
            };
            shown.push(BanAnswer::from(&ban));
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
