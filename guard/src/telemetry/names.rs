//! The names of all metrics, and what they are. They are public: a change of one breaks dashboards.
//!
//! Must not know: where they are counted.

use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};

pub(super) const REQUESTS: &str = "guard_requests_total";
pub(super) const STRIKES: &str = "guard_strikes_total";
pub(super) const THREATS: &str = "guard_threats_total";
pub(super) const BANS_CREATED: &str = "guard_bans_created_total";
pub(super) const BANS_LIFTED: &str = "guard_bans_lifted_total";
pub(super) const BANS_ACTIVE: &str = "guard_bans_active";
pub(super) const HOT_BAN_HITS: &str = "guard_hot_ban_hits_total";
pub(super) const UNRESOLVED_CLIENTS: &str = "guard_unresolved_clients_total";
pub(super) const STORE_SECONDS: &str = "guard_store_seconds";
pub(super) const STORE_AVAILABLE: &str = "guard_store_available";

/// Tells the recorder what they are.
pub(super) fn describe() {
    describe_counter!(
        REQUESTS,
        Unit::Count,
        "Requests by what the guard decided and by route."
    );
    describe_counter!(STRIKES, Unit::Count, "Strikes by what they are for.");
    describe_counter!(
        THREATS,
        Unit::Count,
        "What detectors found, by category and by what was done."
    );
    describe_counter!(BANS_CREATED, Unit::Count, "Bans that this process made.");
    describe_counter!(
        BANS_LIFTED,
        Unit::Count,
        "Bans that this process lifted before they ended."
    );
    describe_gauge!(
        BANS_ACTIVE,
        Unit::Count,
        "Bans in force in the memory store."
    );
    describe_counter!(
        HOT_BAN_HITS,
        Unit::Count,
        "Requests of banned clients that were refused without asking the store."
    );
    describe_counter!(
        UNRESOLVED_CLIENTS,
        Unit::Count,
        "Requests of trusted proxies that named no client."
    );
    describe_histogram!(
        STORE_SECONDS,
        Unit::Seconds,
        "Calls of a store that does I/O."
    );
    describe_gauge!(
        STORE_AVAILABLE,
        "1 if the store can be asked, 0 while on_store_failure applies."
    );
}
