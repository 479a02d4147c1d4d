//! A local peer that forwards although nobody declared it: `trusted_proxies` was forgotten.

use actix_web_guard::GuardHandle;

use super::{XFF, app, from};
use crate::{
    guard::Dotfiles,
    support::{config, send},
};

#[actix_web::test]
async fn all_behind_it_share_one_limit_and_nobody_is_banned() {
    for header in [XFF, "Forwarded", "X-Real-IP"] {
        let config = config(|config| {
            config
                .rate_limit(5)
                .auto_ban_threshold(0)
                .detector(Dotfiles)
        });
        let handle = GuardHandle::of(&config);
        let app = app!(config);
        let mut statuses = Vec::new();
        for number in 1..=8 {
            let visitor = format!("203.0.113.{number}");
            let answer = send(&app, from("10.0.0.5", "/ping", &[(header, &visitor)])).await;
            statuses.push(answer.status.as_u16());
        }
        assert_eq!(
            statuses,
            [200, 200, 200, 200, 200, 429, 429, 429],
            "{header}"
        );
        let attack = from("10.0.0.5", "/.env", &[(header, "203.0.113.1")]);
        assert_eq!(send(&app, attack).await.status, 403);
        assert_eq!(handle.ban_of("10.0.0.5").await.unwrap(), None);
        assert_eq!(handle.ban_of("203.0.113.1").await.unwrap(), None);
    }
}
