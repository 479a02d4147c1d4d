//! TLS to a server.
//!
//! Must not know: Redis.

#[cfg(feature = "redis-tls")]
pub(super) use with_rustls::Tls;

#[cfg(not(feature = "redis-tls"))]
pub(super) use without::Tls;

#[cfg(feature = "redis-tls")]
mod with_rustls {
    use std::{io, sync::Arc};

    use tokio::net::TcpStream;
    use tokio_rustls::{
        TlsConnector,
        rustls::{self, ClientConfig, RootCertStore, crypto::ring, pki_types::ServerName},
    };

    type TlsStream = tokio_rustls::client::TlsStream<TcpStream>;

    /// Speaks TLS and trusts the certificates that the operating system trusts (or those of `SSL_CERT_FILE`).
    #[derive(Clone)]
    pub(in super::super) struct Tls {
        connector: TlsConnector,
    }

    impl Tls {
        /// Reads the certificates, so that connecting reads no files.
        pub(in super::super) fn new() -> Result<Self, String> {
            let mut trusted = RootCertStore::empty();
            let found = rustls_native_certs::load_native_certs();
            trusted.add_parsable_certificates(found.certs);
            if trusted.is_empty() {
                return Err(
                    "must not be rediss:// here: the system trusts no certificate at all"
                        .to_owned(),
                );
            }
            // Named, because an application that brings another provider along as well has no default one.
            let provider = Arc::new(ring::default_provider());
            let config = ClientConfig::builder_with_provider(provider)
                .with_safe_default_protocol_versions()
                .map_err(|error: rustls::Error| format!("must not be rediss:// here: {error}"))?
                .with_root_certificates(trusted)
                .with_no_client_auth();
            Ok(Self {
                connector: TlsConnector::from(Arc::new(config)),
            })
        }

        pub(in super::super) async fn handshake(
            &self,
            host: &str,
            tcp: TcpStream,
        ) -> io::Result<TlsStream> {
            let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
            self.connector.connect(name, tcp).await
        }
    }
}

#[cfg(not(feature = "redis-tls"))]
mod without {
    /// There is none.
    #[derive(Clone)]
    pub(in super::super) enum Tls {}

    impl Tls {
        pub(in super::super) fn new() -> Result<Self, String> {
            Err("must be redis://, unless the crate is built with its feature redis-tls".to_owned())
        }
    }
}
