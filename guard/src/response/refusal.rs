//! Refusals and their responses (DESIGN of the answers: 429 with the wait, 403 without, RFC 9457 bodies).
//!
//! Must not know: how it came to the refusal.

use std::{fmt, sync::Arc, time::Duration};

use actix_web::{
    HttpResponse, ResponseError,
    body::{self, BoxBody},
    http::{
        Method, StatusCode,
        header::{self, HeaderValue},
    },
    web::Bytes,
};

use crate::{
    client::Client, clock::whole_seconds, config::HeaderStyle, decision::QuotaStates, view::Windows,
};

use super::headers::tell_quotas;

/// Replaces the response of a refusal.
pub(crate) type RefusalHook = Arc<dyn Fn(&Refusal) -> HttpResponse + Send + Sync>;

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RefusalKind {
    /// Over a limit: 429.
    RateLimited,
    /// The client is banned: 403.
    Banned,
    /// The client is on a list of those that are never served: 403.
    Denied,
    /// A detector flagged the request: 403.
    Threat,
    /// The store is out of reach and `on_store_failure` is `closed`: 503.
    Unavailable,
}

/// A request that is refused, as the [refusal hook](crate::SecurityConfigBuilder::on_refusal) sees it.
#[derive(Clone, Debug)]
pub struct Refusal {
    pub(crate) kind: RefusalKind,
    pub(crate) client: Client,
    pub(crate) wait_millis: Option<u64>,
    pub(crate) windows: Windows,
    pub(crate) quotas: QuotaStates,
}

impl Refusal {
    /// Why.
    #[must_use]
    pub fn kind(&self) -> RefusalKind {
        self.kind
    }

    /// Whom.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The status of the response, unless a hook gives another: 429, 403 or 503.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        match self.kind {
            RefusalKind::RateLimited => StatusCode::TOO_MANY_REQUESTS,
            RefusalKind::Banned | RefusalKind::Denied | RefusalKind::Threat => {
                StatusCode::FORBIDDEN
            }
            RefusalKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// How long to wait, in whole seconds: exactly until a request is admitted for a client that is over a limit, a few seconds while
    /// the store is out of reach. Not told to those who are banned: no retries.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.wait_millis
            .map(|millis| Duration::from_secs(whole_seconds(millis)))
    }

    /// Names of the limits that the request was over, as in the `RateLimit` fields, quotes included.
    pub fn violated_policies(&self) -> impl Iterator<Item = &str> {
        let named = self.windows.iter().flat_map(|windows| windows.named());
        named
            .zip(&self.quotas)
            .filter(|(_, state)| state.exceeded)
            .map(|((name, _), _)| name)
    }
}

/// A refusal that travels as an error: where the request is out of reach, inside the inner service's future. It carries the same
/// response as any other refusal.
pub struct RefusalError {
    refusal: Refusal,
    style: HeaderStyle,
    hook: Option<RefusalHook>,
    method: Method,
}

impl RefusalError {
    pub(crate) fn new(
        refusal: Refusal,
        style: HeaderStyle,
        hook: Option<RefusalHook>,
        method: Method,
    ) -> Self {
        Self {
            refusal,
            style,
            hook,
            method,
        }
    }

    /// What is refused.
    #[must_use]
    pub fn refusal(&self) -> &Refusal {
        &self.refusal
    }
}

impl fmt::Debug for RefusalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RefusalError").field(&self.refusal).finish()
    }
}

impl fmt::Display for RefusalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} refused: {:?}",
            self.refusal.client, self.refusal.kind
        )
    }
}

impl std::error::Error for RefusalError {}

impl ResponseError for RefusalError {
    fn status_code(&self) -> StatusCode {
        self.refusal.status()
    }

    fn error_response(&self) -> HttpResponse<BoxBody> {
        refuse(&self.refusal, self.style, self.hook.as_ref(), &self.method)
    }
}

/// The response of a refusal.
pub(crate) fn refuse(
    refusal: &Refusal,
    style: HeaderStyle,
    hook: Option<&RefusalHook>,
    method: &Method,
) -> HttpResponse {
    let mut response = match hook {
        Some(hook) => hook(refusal),
        None => HttpResponse::with_body(refusal.status(), problem(refusal)),
    };
    let headers = response.headers_mut();
    if hook.is_none() {
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
    }
    // Never kept by a cache, whoever wrote the body.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(wait) = refusal.wait_millis {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(whole_seconds(wait)));
        tell_quotas(headers, style, &refusal.windows, &refusal.quotas);
    }
    if *method == Method::HEAD {
        // Without a length, which HEAD may leave out: a length that is announced and not kept ends the connection when several
        // requests are under way on it.
        return response.map_body(|_, _| BoxBody::new(body::None::new()));
    }
    response
}

/// The body (RFC 9457). Who is banned, denied or caught learns no more than that he is refused.
fn problem(refusal: &Refusal) -> BoxBody {
    const FORBIDDEN: &[u8] = br#"{"type":"about:blank","title":"Forbidden","status":403}"#;
    const UNAVAILABLE: &[u8] =
        br#"{"type":"about:blank","title":"Service Unavailable","status":503}"#;
    match refusal.kind {
        RefusalKind::RateLimited => {}
        RefusalKind::Banned | RefusalKind::Denied | RefusalKind::Threat => {
            return BoxBody::new(Bytes::from_static(FORBIDDEN));
        }
        RefusalKind::Unavailable => return BoxBody::new(Bytes::from_static(UNAVAILABLE)),
    }
    let body = match (refusal.windows.as_slice(), refusal.quotas.as_slice()) {
        // The usual case: one limit, which is the one that was exceeded.
        ([windows], [_]) => windows.problem().clone(),
        _ => quota_exceeded(refusal.violated_policies()),
    };
    BoxBody::new(body)
}

/// The problem of a request over some limits, whose names are quoted. A quoted structured string is a JSON string as well.
pub(crate) fn quota_exceeded<'a>(names: impl Iterator<Item = &'a str>) -> Bytes {
    let names: Vec<&str> = names.collect();
    Bytes::from(format!(
        concat!(
            r#"{{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","#,
            r#""title":"Request cannot be satisfied as assigned quota has been exceeded","#,
            r#""status":429,"violated-policies":[{}]}}"#,
        ),
        names.join(",")
    ))
}
