//! Which limits are in force, and where.
//!
//! Must not know: requests.

use serde::Serialize;

use crate::route::{LimitOrigin, ListedLimit, ListedRoute};

use super::seconds;

#[derive(Debug, Serialize)]
pub(in crate::admin) struct RoutesAnswer {
    routes: Vec<RouteAnswer>,
}

#[derive(Debug, Serialize)]
struct RouteAnswer {
    pattern: Option<String>,
    pattern_is_whole: bool,
    handler: Option<&'static str>,
    methods: Vec<String>,
    from: &'static str,
    exempt: bool,
    detection: bool,
    limits: Vec<LimitAnswer>,
}

#[derive(Debug, Serialize)]
struct LimitAnswer {
    name: String,
    requests: u32,
    /// Seconds.
    window: f64,
    counted_by: &'static str,
}

impl RoutesAnswer {
    pub(in crate::admin) fn of(routes: Vec<ListedRoute>) -> Self {
        Self {
            routes: routes.into_iter().map(RouteAnswer::from).collect(),
        }
    }
}

impl From<ListedRoute> for RouteAnswer {
    fn from(route: ListedRoute) -> Self {
        Self {
            pattern: route.pattern,
            pattern_is_whole: route.pattern_is_whole,
            handler: route.handler,
            methods: route.methods,
            from: match route.from {
                LimitOrigin::Annotation => "annotation",
                LimitOrigin::Wrap => "wrap",
                LimitOrigin::Configuration => "configuration",
                LimitOrigin::Global => "global",
            },
            exempt: route.exempt,
            detection: route.detection,
            limits: route.limits.into_iter().map(LimitAnswer::from).collect(),
        }
    }
}

impl From<ListedLimit> for LimitAnswer {
    fn from(limit: ListedLimit) -> Self {
        Self {
            name: limit.name,
            requests: limit.requests,
            window: seconds(limit.window_millis),
            counted_by: limit.counted_by,
        }
    }
}
