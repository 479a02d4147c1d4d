//! The lines by which an operator finds a client on the server and lifts its ban, to be pasted into a shell. They have no host, port or
//! password: where `redis-cli` has to connect to, the operator knows.
//!
//! Must not know: connections, what is kept under a key.

use crate::{client::ClientKey, decision::LogHit};

use super::store::RedisStore;

impl RedisStore {
    /// Ban and strikes with the seconds they have left, the requests in the logs, and last what lifts the ban.
    pub(in crate::store) fn redis_cli(
        &self,
        client: ClientKey,
        logs: &[LogHit<'_>],
    ) -> Vec<String> {
        let strikes = self.keys.strikes(client);
        let (mut lines, lift) = self.look_and_lift(client);
        lines.extend(["GET", "TTL"].map(|command| self.line(command, &strikes, "")));
        let logs = self.log_names(client, logs);
        lines.extend(logs.map(|log| self.line("ZRANGE", &log, " 0 -1 WITHSCORES")));
        lines.push(lift);
        lines
    }

    /// The same where only bans are on the server.
    pub(in crate::store) fn redis_cli_of_ban(&self, client: ClientKey) -> Vec<String> {
        let (mut lines, lift) = self.look_and_lift(client);
        lines.push(lift);
        lines
    }

    fn look_and_lift(&self, client: ClientKey) -> (Vec<String>, String) {
        let ban = self.keys.ban(client);
        let look = ["GET", "TTL"].map(|command| self.line(command, &ban, ""));
        (look.into(), self.line("DEL", &ban, ""))
    }

    fn line(&self, command: &str, key: &str, rest: &str) -> String {
        let cluster = if self.cluster { " -c" } else { "" };
        let database = match self.servers.database() {
            0 => String::new(),
            number => format!(" -n {number}"),
        };
        let key = quoted(key);
        format!("redis-cli{cluster}{database} {command} {key}{rest}")
    }
}

/// A text as one word for a shell: within single quotes nothing but a single quote has a meaning.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use std::{process::Command, time::Duration};

    use super::*;
    use crate::store::{
        contract::{ALICE, Ask, HOUR, quota},
        redis::connection::Servers,
    };

    fn lines(url: &str, prefix: &str, cluster: bool) -> Vec<String> {
        let servers = Servers::parse(&[url], None, cluster, Duration::from_secs(1)).unwrap();
        let store = RedisStore::new(servers, prefix, cluster);
        let ask = Ask::request(ALICE)
            .counted(&[quota(5, HOUR)])
            .counted_on(crate::decision::RouteId(7), &[quota(5, HOUR)]);
        ask.with_hit(|hit| store.redis_cli(ALICE, hit.logs))
    }

    #[test]
    fn the_lines_are_those_of_the_documentation() {
        let expected = [
            "redis-cli GET 'guard:banned_ips:203.0.113.1'",
            "redis-cli TTL 'guard:banned_ips:203.0.113.1'",
            "redis-cli GET 'guard:strikes:203.0.113.1'",
            "redis-cli TTL 'guard:strikes:203.0.113.1'",
            "redis-cli ZRANGE 'guard:rate_limit:rate:203.0.113.1' 0 -1 WITHSCORES",
            "redis-cli ZRANGE 'guard:rate_limit:rate:203.0.113.1:/route/7' 0 -1 WITHSCORES",
            "redis-cli DEL 'guard:banned_ips:203.0.113.1'",
        ];
        assert_eq!(lines("redis://127.0.0.1", "guard:", false), expected);
    }

    #[test]
    fn they_name_database_and_cluster_and_no_secret() {
        let of_database = lines("redis://me:secret@10.9.8.7:7000/3", "guard:", false);
        assert_eq!(
            of_database[0],
            "redis-cli -n 3 GET 'guard:banned_ips:203.0.113.1'"
        );
        for secret in ["me", "secret", "10.9.8.7", "7000"] {
            assert!(of_database.iter().all(|line| !line.contains(secret)));
        }
        let of_cluster = lines("redis://10.9.8.7", "guard:", true);
        assert_eq!(
            of_cluster[0],
            "redis-cli -c GET 'guard:banned_ips:{203.0.113.1}'"
        );
    }

    #[test]
    fn a_shell_reads_a_name_as_it_is() {
        for text in [
            "it's:",
            "''",
            "$(reboot)`reboot`;reboot #",
            "a b\\n\"c\"!!*?[x]{a,b}~",
            "\u{e9}\n",
            "-n",
        ] {
            let script = format!("printf '%s|' {}", quoted(text));
            let output = Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(
                String::from_utf8(output.stdout).unwrap(),
                format!("{text}|")
            );
        }
    }
}
