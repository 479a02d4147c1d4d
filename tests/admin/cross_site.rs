//! Another site can't use the password that an operator's browser remembers.

use actix_web_guard::GuardHandle;

use super::{app, json, operator};
use crate::support::{config, seconds, send};

#[actix_web::test]
async fn another_site_neither_bans_nor_lifts_nor_reads() {
    let config = config(|config| config);
    let handle = GuardHandle::of(&config);
    handle
        .ban("198.51.100.1", seconds(60), "test")
        .await
        .unwrap();
    let app = app!(config);
    let foreign = [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
    ];
    for field in foreign {
        let lift = operator("DELETE", "/guard/api/bans/198.51.100.1").insert_header(field);
        assert_eq!(send(&app, lift).await.status, 403, "{field:?}");
        let ban = operator("POST", "/guard/api/bans")
            .insert_header(field)
            .insert_header(("content-type", "application/json"))
            .set_payload(r#"{"client":"198.51.100.2","duration":60}"#);
        assert_eq!(send(&app, ban).await.status, 403, "{field:?}");
        let read = operator("GET", "/guard/api/bans").insert_header(field);
        let answer = send(&app, read).await;
        assert_eq!(answer.status, 403, "{field:?}");
        assert_eq!(json(&answer)["status"], 403);
    }
    assert!(handle.ban_of("198.51.100.1").await.unwrap().is_some());
    assert_eq!(handle.ban_of("198.51.100.2").await.unwrap(), None);
}

#[actix_web::test]
async fn the_page_itself_does_all_of_it() {
    let config = config(|config| config);
    let handle = GuardHandle::of(&config);
    handle
        .ban("198.51.100.1", seconds(60), "test")
        .await
        .unwrap();
    let app = app!(config);
    let own = [
        [("sec-fetch-site", "same-origin"), ("host", "guard.example")],
        [
            ("origin", "https://guard.example"),
            ("host", "guard.example"),
        ],
    ];
    for fields in own {
        let lift = operator("DELETE", "/guard/api/bans/198.51.100.1");
        let lift = fields
            .into_iter()
            .fold(lift, |lift, field| lift.insert_header(field));
        assert_eq!(send(&app, lift).await.status, 200, "{fields:?}");
    }
    assert_eq!(handle.ban_of("198.51.100.1").await.unwrap(), None);
}
