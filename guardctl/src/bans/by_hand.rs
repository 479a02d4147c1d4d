//! The lines by which redis-cli finds and lifts a ban, for when this program is not at hand.
//!
//! Must not know: bans.

use crate::configuration::Effective;

/// What passive mode has behind the prefix.
const PASSIVE: &str = "passive:";

/// To look at a ban, to see what is left of it, and to lift it.
pub(super) fn commands(effective: &Effective, client: &str) -> Vec<String> {
    let key = quoted(&ban_key(effective, client));
    let client = client_command(effective);
    ["GET", "TTL", "DEL"]
        .map(|command| format!("{client} {command} {key}"))
        .into()
}

/// As the README has it; in a Cluster the client is the tag that chooses the slot.
fn ban_key(effective: &Effective, client: &str) -> String {
    let prefix = &effective.redis_prefix;
    let passive = if effective.passive { PASSIVE } else { "" };
    let client = match effective.redis_cluster {
        true => format!("{{{client}}}"),
        false => client.to_owned(),
    };
    format!("{prefix}{passive}banned_ips:{client}")
}

fn client_command(effective: &Effective) -> String {
    if effective.redis_sentinel_master.is_some() {
        // Only the Sentinels know where it is at present.
        return "redis-cli -h MASTER".to_owned();
    }
    let cluster = if effective.redis_cluster { " -c" } else { "" };
    let url = effective.store.first();
    let url = match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, place))) => format!("{scheme}://{place}"),
        _ => url.to_owned(),
    };
    format!("redis-cli{cluster} -u {}", quoted(&url))
}

/// For a shell.
fn quoted(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:@%".contains(&byte);
    match text.bytes().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use actix_web_guard::{SecurityConfig, SecurityConfigBuilder};

    use super::*;

    fn get(configure: impl FnOnce(SecurityConfigBuilder) -> SecurityConfigBuilder) -> String {
        let config = configure(SecurityConfig::builder()).build().unwrap();
        let effective = Effective::of(&config).unwrap();
        commands(&effective, "2001:db8::/64").remove(0)
    }

    #[test]
    fn the_lines_name_server_and_key() {
        let url = "redis://me:secret@127.0.0.1:6379/2";
        assert_eq!(
            get(|config| config.store(url)),
            "redis-cli -u redis://127.0.0.1:6379/2 GET guard:banned_ips:2001:db8::/64"
        );
        assert_eq!(
            get(|config| config.store(url).passive(true).redis_prefix("it's:")),
            r"redis-cli -u redis://127.0.0.1:6379/2 GET 'it'\''s:passive:banned_ips:2001:db8::/64'"
        );
        let urls = ["redis://10.0.0.1:1", "redis://10.0.0.2:1"];
        assert_eq!(
            get(|config| config.redis_urls(urls).redis_cluster(true)),
            "redis-cli -c -u redis://10.0.0.1:1 GET 'guard:banned_ips:{2001:db8::/64}'"
        );
        assert_eq!(
            get(|config| config.redis_urls(urls).redis_sentinel_master("main")),
            "redis-cli -h MASTER GET guard:banned_ips:2001:db8::/64"
        );
    }
}
