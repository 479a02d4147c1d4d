//! The same request with and without a guard.

use super::client::Reply;

/// What the guard adds, and what changes from second to second.
const IGNORED: [&str; 3] = ["date", "ratelimit", "ratelimit-policy"];

/// An answer without what the guard adds to it, to be compared with the answer of an application without a guard.
pub(super) fn plain(mut reply: Reply) -> Reply {
    reply
        .headers
        .retain(|(name, _)| !IGNORED.contains(&name.as_str()));
    // The order of headers means nothing, and a map gives any.
    reply.headers.sort();
    reply
}
