//! The `RateLimit` fields (draft-ietf-httpapi-ratelimit-headers-11) and their `X-RateLimit-*` forebears.
//!
//! Must not know: why a request is answered as it is.

use actix_web::{
    http::header::{HeaderMap, HeaderName, HeaderValue},
    web::Bytes,
};
use smallvec::SmallVec;

use crate::{
    clock::whole_seconds,
    config::HeaderStyle,
    decision::{Quota, QuotaState},
    view::Windows,
};

const RATELIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATELIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const X_RATELIMIT_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const X_RATELIMIT_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const X_RATELIMIT_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// Tells the client how its quotas stand. `states` are those of `windows`, in order.
pub(crate) fn tell_quotas(
    headers: &mut HeaderMap,
    style: HeaderStyle,
    windows: &Windows,
    states: &[QuotaState],
) {
    if states.is_empty() {
        return;
    }
    if matches!(style, HeaderStyle::Draft | HeaderStyle::Both) {
        headers.append(RATELIMIT_POLICY, policy_of(windows));
        headers.append(RATELIMIT, state_of(windows, states));
    }
    if matches!(style, HeaderStyle::Legacy | HeaderStyle::Both) {
        tell_tightest(headers, windows, states);
    }
}

/// A name as a structured string (RFC 9651, section 3.3.3), quotes included. What may not stand in one is percent-encoded.
pub(crate) fn quoted(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 2);
    text.push('"');
    for byte in name.bytes() {
        match byte {
            b'"' | b'\\' => text.extend(['\\', char::from(byte)]),
            b' '..=b'~' => text.push(char::from(byte)),
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text.push('"');
    text
}

/// The `RateLimit-Policy` of some quotas, whose names are quoted.
pub(crate) fn policy_value<'a>(named: impl Iterator<Item = (&'a str, &'a Quota)>) -> HeaderValue {
    let mut text = String::new();
    for (name, quota) in named {
        let comma = if text.is_empty() { "" } else { ", " };
        text.push_str(&format!(
            "{comma}{name};q={};w={}",
            quota.requests,
            whole_seconds(quota.window_millis)
        ));
    }
    value(text)
}

fn policy_of(windows: &Windows) -> HeaderValue {
    match windows.as_slice() {
        [alone] => alone.policy().clone(),
        several => policy_value(several.iter().flat_map(|windows| windows.named())),
    }
}

fn state_of(windows: &Windows, states: &[QuotaState]) -> HeaderValue {
    match (windows.as_slice(), states) {
        ([alone], [state]) => {
            let told = (state.remaining, whole_seconds(state.reset_millis));
            alone
                .state_values()
                .get(told, || state_value(windows, states))
        }
        _ => state_value(windows, states),
    }
}

/// Written on the stack and copied once.
type Text = SmallVec<[u8; 96]>;

fn state_value(windows: &Windows, states: &[QuotaState]) -> HeaderValue {
    let mut text = Text::new();
    let mut states = states.iter();
    for windows in windows {
        for ((name, _), state) in windows.named().zip(states.by_ref()) {
            if !text.is_empty() {
                text.extend_from_slice(b", ");
            }
            text.extend_from_slice(name.as_bytes());
            text.extend_from_slice(b";r=");
            push_number(&mut text, u64::from(state.remaining));
            text.extend_from_slice(b";t=");
            push_number(&mut text, whole_seconds(state.reset_millis));
        }
    }
    HeaderValue::from_bytes(&text).unwrap_or_else(|_| HeaderValue::from_static(""))
}

/// The older fields have room for one quota: the one that will refuse first.
fn tell_tightest(headers: &mut HeaderMap, windows: &Windows, states: &[QuotaState]) {
    let named = windows.iter().flat_map(|windows| windows.named());
    let tightest = named
        .zip(states)
        .min_by_key(|(_, state)| (state.remaining, u64::MAX - state.wait_millis()));
    if let Some(((_, quota), state)) = tightest {
        headers.insert(X_RATELIMIT_LIMIT, HeaderValue::from(quota.requests));
        headers.insert(X_RATELIMIT_REMAINING, HeaderValue::from(state.remaining));
        headers.insert(
            X_RATELIMIT_RESET,
            HeaderValue::from(whole_seconds(state.reset_millis)),
        );
    }
}

/// Printable ASCII by construction; an empty value stands in for what can't be.
fn value(text: String) -> HeaderValue {
    HeaderValue::from_maybe_shared(Bytes::from(text))
        .unwrap_or_else(|_| HeaderValue::from_static(""))
}

/// Appends a number: the formatting machinery costs several times as much.
fn push_number(text: &mut Text, number: u64) {
    if number >= 10 {
        push_number(text, number / 10);
    }
    let digit = u8::try_from(number % 10).unwrap_or(0);
    text.push(b'0' + digit);
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::store::CountedApart;
    use crate::{
        clock::SystemClock,
        engine::Engine,
        route::{NamedQuota, RouteWindows},
        telemetry::Meters,
    };

    fn windows(named: &[(&str, u32, u64)]) -> Windows {
        let named: Vec<NamedQuota> = named
            .iter()
            .map(|(name, requests, seconds)| NamedQuota {
                name: (*name).to_owned(),
                quota: Quota {
                    requests: *requests,
                    window_millis: seconds * 1000,
                },
                key: None,
            })
            .collect();
        std::iter::once(Rc::new(RouteWindows::new(
            Engine::apart(CountedApart::Preflight),
            Meters::new(&SystemClock::shared()).route("preflight"),
            &named,
        )))
        .collect()
    }

    fn state(remaining: u32, reset_millis: u64) -> QuotaState {
        QuotaState {
            remaining,
            reset_millis,
            exceeded: false,
        }
    }

    fn told(style: HeaderStyle, windows: &Windows, states: &[QuotaState]) -> Vec<(String, String)> {
        let mut headers = HeaderMap::new();
        tell_quotas(&mut headers, style, windows, states);
        let mut told: Vec<_> = headers
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
            .collect();
        told.sort();
        told
    }

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn one_quota() {
        assert_eq!(
            told(
                HeaderStyle::Draft,
                &windows(&[("default", 50, 60)]),
                &[state(49, 60_000)]
            ),
            [
                pair("ratelimit", r#""default";r=49;t=60"#),
                pair("ratelimit-policy", r#""default";q=50;w=60"#)
            ]
        );
    }

    #[test]
    fn several_quotas_are_a_list_and_the_older_fields_tell_the_tightest() {
        let windows = windows(&[("burst", 5, 1), ("/search", 100, 60)]);
        let states = [state(2, 800), state(0, 12_001)];
        assert_eq!(
            told(HeaderStyle::Both, &windows, &states),
            [
                pair("ratelimit", r#""burst";r=2;t=1, "/search";r=0;t=13"#),
                pair(
                    "ratelimit-policy",
                    r#""burst";q=5;w=1, "/search";q=100;w=60"#
                ),
                pair("x-ratelimit-limit", "100"),
                pair("x-ratelimit-remaining", "0"),
                pair("x-ratelimit-reset", "13"),
            ]
        );
    }

    #[test]
    fn nothing_is_told_when_nothing_was_counted_or_it_is_off() {
        assert_eq!(
            told(HeaderStyle::Both, &windows(&[("default", 50, 60)]), &[]),
            []
        );
        assert_eq!(
            told(
                HeaderStyle::Off,
                &windows(&[("default", 50, 60)]),
                &[state(1, 1)]
            ),
            []
        );
    }

    #[test]
    fn names_are_structured_strings_whatever_they_hold() {
        for (name, expected) in [
            ("/items/{id}", r#""/items/{id}""#),
            (r#"a"b\c"#, r#""a\"b\\c""#),
            ("/é", r#""/%C3%A9""#),
            ("a\nb", r#""a%0Ab""#),
        ] {
            assert_eq!(quoted(name), expected);
        }
    }

    #[test]
    fn numbers() {
        for number in [0, 9, 10, 1234, u64::MAX] {
            let mut text = Text::new();
            push_number(&mut text, number);
            assert_eq!(text.as_slice(), number.to_string().as_bytes());
        }
    }
}
