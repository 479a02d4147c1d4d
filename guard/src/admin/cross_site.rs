//! Requests that another site makes a browser send: with the password that the browser remembers they would look like the operator's own.
//!
//! One rule: by `Sec-Fetch-Site` (W3C Fetch Metadata) where the browser sends it, else by `Origin` against the host. Scripts and tools send
//! neither. Must not know: who the operator is.

use actix_web::{
    dev::ServiceRequest,
    http::{Method, header},
};

/// Whether another site is behind the request, and it does more than open the page.
pub(super) fn is_from_elsewhere(request: &ServiceRequest) -> bool {
    is_of_another_site(request) && !opens_the_page(request)
}

fn is_of_another_site(request: &ServiceRequest) -> bool {
    if let Some(site) = text(request, "sec-fetch-site") {
        return !matches!(site, "same-origin" | "none");
    }
    let headers = request.headers();
    if !headers.contains_key(header::ORIGIN) {
        return false;
    }
    let origin = text(request, "origin").and_then(|origin| origin.split_once("://"));
    // A page can make the browser send neither of these.
    let hosts = [text(request, "host"), text(request, "x-forwarded-host")];
    !origin.is_some_and(|(_, host)| hosts.contains(&Some(host)))
}

/// A link to the page may stand anywhere.
fn opens_the_page(request: &ServiceRequest) -> bool {
    let navigates = text(request, "sec-fetch-mode") == Some("navigate");
    matches!(*request.method(), Method::GET | Method::HEAD) && navigates
}

fn text<'a>(request: &'a ServiceRequest, name: &str) -> Option<&'a str> {
    request.headers().get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn is_refused(method: Method, fields: &[(&str, &str)]) -> bool {
        let request = TestRequest::default().method(method);
        let with = |request: TestRequest, field: &(&str, &str)| request.insert_header(*field);
        is_from_elsewhere(&fields.iter().fold(request, with).to_srv_request())
    }

    #[test]
    fn what_a_browser_says_of_the_site_counts() {
        for (site, mode, expected) in [
            ("same-origin", "cors", false),
            ("none", "navigate", false),
            ("same-site", "cors", true),
            ("cross-site", "cors", true),
            ("cross-site", "no-cors", true),
            ("surprise", "cors", true),
        ] {
            let fields = [("sec-fetch-site", site), ("sec-fetch-mode", mode)];
            assert_eq!(is_refused(Method::POST, &fields), expected, "{site} {mode}");
            assert_eq!(
                is_refused(Method::DELETE, &fields),
                expected,
                "{site} {mode}"
            );
            assert_eq!(is_refused(Method::GET, &fields), expected, "{site} {mode}");
        }
    }

    #[test]
    fn another_site_may_link_to_the_page_and_no_more() {
        let fields = [
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "navigate"),
        ];
        assert!(!is_refused(Method::GET, &fields));
        assert!(is_refused(Method::POST, &fields));
    }

    #[test]
    fn without_that_the_origin_has_to_be_the_host() {
        for (origin, forwarded, expected) in [
            ("https://guard.example:8443", None, false),
            ("https://guard.example", None, true),
            ("https://evil.example", None, true),
            ("https://guard.example:8443.evil.example", None, true),
            ("null", None, true),
            ("", None, true),
            ("https://public.example", Some("public.example"), false),
        ] {
            let mut fields = vec![("host", "guard.example:8443"), ("origin", origin)];
            fields.extend(forwarded.map(|host| ("x-forwarded-host", host)));
            assert_eq!(is_refused(Method::POST, &fields), expected, "{fields:?}");
        }
    }

    #[test]
    fn tools_send_neither() {
        assert!(!is_refused(Method::DELETE, &[("host", "guard.example")]));
    }
}
