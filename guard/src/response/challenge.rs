//! The response that asks an operator for his password.
//!
//! Must not know: who asks for it.

use actix_web::{
    HttpResponse,
    body::{self, BoxBody},
    http::{
        Method, StatusCode,
        header::{self, HeaderMap, HeaderValue},
    },
};

/// 401 with the challenge at which browsers ask (RFC 7617).
pub(crate) fn challenge(method: &Method, request: &HeaderMap) -> HttpResponse {
    const BODY: &str = r#"{"type":"about:blank","title":"Unauthorized","status":401,"detail":"operators only: send the token as a Bearer token, or as the password of HTTP Basic"}"#;
    let mut response = HttpResponse::new(StatusCode::UNAUTHORIZED);
    let headers = response.headers_mut();
    for (name, value) in [
        (header::WWW_AUTHENTICATE, scheme(request)),
        (header::CONTENT_TYPE, "application/problem+json"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if *method == Method::HEAD {
        return response.map_body(|_, _| BoxBody::new(body::None::new()));
    }
    response.set_body(BoxBody::new(BODY))
}

/// A script that asks again and again would have the browser ask people for the password each time, and hears nothing until they answer:
/// what `fetch()` asks for gets a challenge at which browsers ask nobody (RFC 6750).
fn scheme(request: &HeaderMap) -> &'static str {
    match request.get("sec-fetch-dest") {
        Some(destination) if destination == "empty" => r#"Bearer realm="guard""#,
        _ => r#"Basic realm="guard", charset="UTF-8""#,
    }
}
