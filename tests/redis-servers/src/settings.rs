//! What a server shall be like, and the `redis.conf` that makes it so.
//!
//! Must not know: processes, connections.

use std::path::{Path, PathBuf};

use crate::tls::Certificates;

/// Has every right, whatever a test does to the passwords and users that it knows.
pub(crate) const ADMIN_NAME: &str = "redis-servers-admin";
pub(crate) const ADMIN_PASSWORD: &str = "redis-servers-admin-password";

/// For all servers; what a test sets comes after it and overrides it. Only what Redis 6.2 knows as well.
const DEFAULTS: &str = r#"
bind 127.0.0.1
save ""
appendonly no
repl-diskless-sync yes
repl-diskless-sync-delay 0
"#;

/// Nodes of a Cluster agree soon that one of them has failed, and a replica always stands for election.
const CLUSTER: &str = "
cluster-enabled yes
cluster-node-timeout 1000
cluster-replica-validity-factor 0
";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    #[default]
    Single,
    ClusterNode,
    Sentinel,
}

/// Whose certificates a server has.
#[derive(Clone, Debug)]
pub(crate) enum Tls {
    Own,
    Of(Certificates),
}

#[derive(Clone, Debug)]
pub(crate) struct AclUser {
    pub(crate) name: String,
    pub(crate) password: String,
    pub(crate) rules: String,
}

/// The server to replicate.
#[derive(Clone, Debug)]
pub(crate) struct Upstream {
    pub(crate) port: u16,
    pub(crate) password: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    pub(crate) mode: Mode,
    pub(crate) password: Option<String>,
    pub(crate) upstream: Option<Upstream>,
    pub(crate) tls: Option<Tls>,
    pub(crate) users: Vec<AclUser>,
    pub(crate) lines: Vec<(String, String)>,
}

impl Settings {
    /// The whole `redis.conf`.
    pub(crate) fn render(
        &self,
        folder: &Path,
        port: u16,
        certificates: Option<&Certificates>,
    ) -> String {
        let mut file = ConfigFile(DEFAULTS.to_owned());
        file.line("dir", &quote_path(folder));
        file.line("unixsocket", &quote_path(&admin_socket(folder)));
        file.line("user", &acl(ADMIN_NAME, ADMIN_PASSWORD, "~* &* +@all"));
        match certificates {
            Some(certificates) => file.tls(port, certificates),
            None => file.line("port", &port.to_string()),
        }
        if self.mode == Mode::ClusterNode {
            file.0.push_str(CLUSTER);
        }
        file.access(self);
        for (name, value) in &self.lines {
            file.line(name, value);
        }
        file.0
    }

    /// What this server has to say to the one that it replicates. Each server of a group may have to follow any other after
    /// a failover, so without an upstream it is the server's own password.
    fn upstream_password(&self) -> Option<&str> {
        match &self.upstream {
            Some(upstream) => upstream.password.as_deref(),
            None => self.password.as_deref(),
        }
    }
}

struct ConfigFile(String);

impl ConfigFile {
    fn line(&mut self, name: &str, value: &str) {
        self.0.extend([name, " ", value, "\n"]);
    }

    fn tls(&mut self, port: u16, certificates: &Certificates) {
        self.line("port", "0");
        self.line("tls-port", &port.to_string());
        self.line("tls-ca-cert-file", &quote_path(&certificates.authority()));
        self.line("tls-cert-file", &quote_path(&certificates.certificate()));
        self.line("tls-key-file", &quote_path(&certificates.key()));
        self.line("tls-auth-clients", "no");
        self.line("tls-replication", "yes");
    }

    fn access(&mut self, settings: &Settings) {
        if let Some(password) = &settings.password {
            self.line("requirepass", &quote(password));
        }
        for user in &settings.users {
            self.line("user", &acl(&user.name, &user.password, &user.rules));
        }
        if let Some(upstream) = &settings.upstream {
            self.line("replicaof", &format!("127.0.0.1 {}", upstream.port));
        }
        if let Some(password) = settings.upstream_password() {
            self.line("masterauth", &quote(password));
        }
    }
}

/// Where the tests' own commands get in, past TLS and whatever else is set for the port.
pub(crate) fn admin_socket(folder: &Path) -> PathBuf {
    folder.join("admin.sock")
}

fn acl(name: &str, password: &str, rules: &str) -> String {
    let password = quote(&format!(">{password}"));
    format!("{name} on {password} {rules}")
}

fn quote_path(path: &Path) -> String {
    quote(
        path.to_str()
            .expect("a temporary folder has a readable name"),
    )
}

/// As a single argument, whatever it holds.
pub(crate) fn quote(value: &str) -> String {
    let mut quoted = String::from('"');
    for character in value.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(settings: &Settings) -> String {
        settings.render(Path::new("/folder"), 10_000, None)
    }

    #[test]
    fn what_a_test_sets_overrides_the_defaults() {
        let settings = Settings {
            lines: vec![("appendonly".to_owned(), "yes".to_owned())],
            ..Settings::default()
        };
        assert!(render(&settings).ends_with("\nappendonly yes\n"));
    }

    #[test]
    fn passwords_are_single_arguments() {
        assert_eq!(quote(r#"a "b" \c"#), r#""a \"b\" \\c""#);
        assert_eq!(quote("two\r\nlines"), r#""two\r\nlines""#);
    }

    #[test]
    fn a_replica_says_the_password_of_its_upstream_and_others_their_own() {
        let own = Settings {
            password: Some("own".to_owned()),
            ..Settings::default()
        };
        assert!(render(&own).contains("masterauth \"own\"\n"));
        let replica = Settings {
            upstream: Some(Upstream {
                port: 1,
                password: Some("theirs".to_owned()),
            }),
            ..own
        };
        assert!(render(&replica).contains("replicaof 127.0.0.1 1\nmasterauth \"theirs\"\n"));
    }
}
