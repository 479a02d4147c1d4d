//! The response that asks an operator for his password.
//!
//! Must not know: who asks for it.

use actix_web::{
    HttpResponse,
    body::{self, BoxBody},
    http::{
        Method, StatusCode,
        header::{self, HeaderValue},
    },
};

/// 401 with the challenge at which browsers ask (RFC 7617).
pub(crate) fn challenge(method: &Method) -> HttpResponse {
    const BODY: &str = r#"{"type":"about:blank","title":"Unauthorized","status":401,"detail":"operators only: send the token as a Bearer token, or as the password of HTTP Basic"}"#;
    let mut response = HttpResponse::new(StatusCode::UNAUTHORIZED);
    let headers = response.headers_mut();
    for (name, value) in [
        (
            header::WWW_AUTHENTICATE,
            r#"Basic realm="guard", charset="UTF-8""#,
        ),
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
