//! Whom DNS is asked through.
//!
//! Must not know: what is asked.

use std::{net::SocketAddr, time::Duration};

use hickory_resolver::{
    TokioResolver,
    config::{ConnectionConfig, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts},
    net::{NetError, runtime::TokioRuntimeProvider},
};

/// The name servers that are asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Resolvers {
    /// Those that the operating system is set up with: `/etc/resolv.conf`.
    System,
    /// These.
    Servers(Vec<SocketAddr>),
}

impl Resolvers {
    /// These servers; none: those of the system.
    pub(crate) fn of(servers: &[SocketAddr]) -> Self {
        if servers.is_empty() {
            Self::System
        } else {
            Self::Servers(servers.to_vec())
        }
    }

    /// Makes a resolver that waits so long for each answer before it asks once more. On a runtime of tokio.
    ///
    /// # Errors
    /// The settings of the operating system are missing, unreadable or name no server.
    pub(super) fn open(&self, attempt: Duration) -> Result<TokioResolver, NetError> {
        let mut builder = match self {
            Self::System => TokioResolver::builder_tokio()?,
            Self::Servers(servers) => TokioResolver::builder_with_config(
                configuration(servers),
                TokioRuntimeProvider::default(),
            ),
        };
        set_options(builder.options_mut(), attempt);
        builder.build()
    }
}

fn configuration(servers: &[SocketAddr]) -> ResolverConfig {
    ResolverConfig::from_name_servers(servers.iter().copied().map(name_server).collect())
}

fn name_server(address: SocketAddr) -> NameServerConfig {
    let mut connections = vec![ConnectionConfig::udp(), ConnectionConfig::tcp()];
    for connection in &mut connections {
        connection.port = address.port();
    }
    NameServerConfig::new(address.ip(), true, connections)
}

fn set_options(options: &mut ResolverOpts, attempt: Duration) {
    options.timeout = attempt;
    // Outcomes are kept elsewhere, by the injected clock.
    options.cache_size = 0;
    // Only DNS proves anything.
    options.use_hosts_file = ResolveHosts::Never;
}
