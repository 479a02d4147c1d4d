//! Describing a server before it is started.
//!
//! Must not know: processes.

use crate::{
    server::Server,
    settings::{AclUser, Mode, Settings, Tls, Upstream},
};

/// What a [`Server`] shall be like.
#[derive(Clone, Debug, Default)]
#[must_use = "a server has to be started"]
pub struct Builder {
    settings: Settings,
}

impl Builder {
    pub(crate) fn of_mode(mode: Mode) -> Self {
        let settings = Settings {
            mode,
            ..Settings::default()
        };
        Self { settings }
    }

    /// The password of the default user (`requirepass`).
    pub fn password(mut self, password: impl Into<String>) -> Self {
        self.settings.password = Some(password.into());
        self
    }

    /// A user with rules such as `~guard:* +@all -@dangerous`. See [`Server::url_as`].
    pub fn acl_user(
        mut self,
        name: impl Into<String>,
        password: impl Into<String>,
        rules: impl Into<String>,
    ) -> Self {
        self.settings.users.push(AclUser {
            name: name.into(),
            password: password.into(),
            rules: rules.into(),
        });
        self
    }

    /// TLS only, with a certificate by an authority of the server's own: [`Server::ca_path`].
    pub fn tls(mut self) -> Self {
        self.settings.tls = Some(Tls::Own);
        self
    }

    /// A line of `redis.conf`: the value is written as it stands, and overrides a default.
    pub fn config(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.settings.lines.push((name.into(), value.into()));
        self
    }

    /// A replica. It is in sync when it has started. The replica of a server with TLS has TLS, too, and the same certificates.
    pub fn replica_of(mut self, upstream: &Server) -> Self {
        self.settings.upstream = Some(Upstream {
            port: upstream.port(),
            password: upstream.password().map(str::to_owned),
        });
        if let Some(certificates) = upstream.certificates() {
            self.settings.tls = Some(Tls::Of(certificates.clone()));
        }
        self
    }

    /// Starts it, and returns when it answers.
    ///
    /// # Panics
    ///
    /// If it doesn't start, with what it said.
    #[must_use = "a server ends when it is dropped"]
    pub fn start(self) -> Server {
        Server::start_with(self.settings)
    }
}
