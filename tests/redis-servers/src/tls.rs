//! Certificates for a server: an authority of its own, which signs one for this machine.
//!
//! Must not know: who speaks TLS with them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};

const AUTHORITY: &str = "ca.pem";
const CERTIFICATE: &str = "server.pem";
const KEY: &str = "server-key.pem";

/// Where the certificates are.
#[derive(Clone, Debug)]
pub(crate) struct Certificates {
    folder: PathBuf,
}

impl Certificates {
    /// Makes new ones.
    pub(crate) fn create(folder: &Path) -> Self {
        let authority_key = key();
        let authority = authority();
        let authority_pem = authority
            .self_signed(&authority_key)
            .expect("an authority signs itself")
            .pem();
        let key = key();
        let certificate_pem = server()
            .signed_by(&key, &Issuer::new(authority, authority_key))
            .expect("the authority signs")
            .pem();
        write(folder, AUTHORITY, &authority_pem);
        write(folder, CERTIFICATE, &certificate_pem);
        write(folder, KEY, &key.serialize_pem());
        Self {
            folder: folder.to_owned(),
        }
    }

    /// The same ones in another folder.
    pub(crate) fn copy(&self, folder: &Path) -> Self {
        for name in [AUTHORITY, CERTIFICATE, KEY] {
            fs::copy(self.folder.join(name), folder.join(name)).expect("certificates are copied");
        }
        Self {
            folder: folder.to_owned(),
        }
    }

    pub(crate) fn authority(&self) -> PathBuf {
        self.folder.join(AUTHORITY)
    }

    pub(crate) fn certificate(&self) -> PathBuf {
        self.folder.join(CERTIFICATE)
    }

    pub(crate) fn key(&self) -> PathBuf {
        self.folder.join(KEY)
    }
}

fn authority() -> CertificateParams {
    let mut params = params([]);
    params
        .distinguished_name
        .push(DnType::CommonName, "redis-servers authority");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    params
}

fn server() -> CertificateParams {
    let mut params = params(["localhost", "127.0.0.1", "::1"]);
    params
        .distinguished_name
        .push(DnType::CommonName, "redis-servers server");
    params
}

fn params<const N: usize>(names: [&str; N]) -> CertificateParams {
    CertificateParams::new(names.map(str::to_owned)).expect("the names are valid")
}

fn key() -> KeyPair {
    KeyPair::generate().expect("a key can be made")
}

fn write(folder: &Path, name: &str, pem: &str) {
    fs::write(folder.join(name), pem).expect("certificates can be written");
}
