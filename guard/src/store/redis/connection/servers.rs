//! Which servers there are, as the configuration names them.
//!
//! Must not know: connections.

use std::{fmt, sync::Arc, time::Duration};

use super::{agreement::Agreement, tls::Tls};

const REDIS_PORT: u16 = 6379;
const SENTINEL_PORT: u16 = 26379;

/// The servers of a store.
#[derive(Debug)]
pub(crate) struct Servers {
    pub(in super::super) arrangement: Arrangement,
    /// No call waits longer than this.
    pub(in super::super) timeout: Duration,
}

/// How the servers belong together.
#[derive(Debug)]
pub(in super::super) enum Arrangement {
    Single(Server),
    /// These know who is the master of that name.
    Sentinel(Watched),
    /// These know who the others are.
    Cluster(Vec<Server>),
}

/// A master by its name, and the Sentinels that watch it.
#[derive(Clone, Debug)]
pub(in super::super) struct Watched {
    pub(super) sentinels: Arc<[Server]>,
    pub(super) master: Arc<str>,
    pub(super) agreement: Arc<Agreement>,
}

/// A server, and what it takes to be let in.
#[derive(Clone)]
pub(in super::super) struct Server {
    pub(in super::super) host: Box<str>,
    pub(in super::super) port: u16,
    pub(super) access: Arc<Access>,
}

/// What servers of the same URL have in common.
#[derive(Clone, Default)]
pub(super) struct Access {
    pub(super) user: Option<Box<str>>,
    pub(super) password: Option<Box<str>>,
    pub(super) database: i64,
    pub(super) tls: Option<Tls>,
}

/// What is wrong with the servers of a configuration. Never shows a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServersError {
    /// The URL it is about.
    pub(crate) index: Option<usize>,
    message: String,
}

impl Servers {
    /// One URL is a server of its own; with the name of a master they are its Sentinels; with `cluster` they are nodes of a
    /// Cluster. User and password of a URL are those of the data servers (a Sentinel is shown them if it asks).
    pub(crate) fn parse<U: AsRef<str>>(
        urls: &[U],
        sentinel_master: Option<&str>,
        cluster: bool,
        timeout: Duration,
    ) -> Result<Self, ServersError> {
        let default_port = match sentinel_master {
            Some(_) => SENTINEL_PORT,
            None => REDIS_PORT,
        };
        let servers = urls
            .iter()
            .enumerate()
            .map(|(index, url)| {
                Server::parse(url.as_ref(), default_port).map_err(|message| ServersError {
                    index: Some(index),
                    message,
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            arrangement: Arrangement::of(servers, sentinel_master, cluster)?,
            timeout,
        })
    }
}

#[cfg(feature = "admin")]
impl Servers {
    /// The number of the database: of the data servers, if Sentinels know them.
    pub(crate) fn database(&self) -> i64 {
        let server = match &self.arrangement {
            Arrangement::Single(server) => Some(server),
            Arrangement::Sentinel(watched) => watched.sentinels.first(),
            Arrangement::Cluster(_) => None,
        };
        server.map_or(0, |server| server.access.database)
    }
}

impl Arrangement {
    fn of(
        mut servers: Vec<Server>,
        sentinel_master: Option<&str>,
        cluster: bool,
    ) -> Result<Self, ServersError> {
        if servers.is_empty() {
            return Err(ServersError::new("must name at least one server"));
        }
        match (sentinel_master, cluster) {
            (Some(_), true) => Err(ServersError::new(
                "must be either Sentinels or nodes of a Cluster, not both",
            )),
            (Some(""), false) => Err(ServersError::new("must have the name of the master")),
            (Some(master), false) => Ok(Self::Sentinel(Watched {
                sentinels: servers.into(),
                master: master.into(),
                agreement: Arc::default(),
            })),
            (None, true) if servers.iter().any(|server| server.access.database != 0) => Err(
                ServersError::new("must not name a database: a Cluster has but one"),
            ),
            (None, true) => Ok(Self::Cluster(servers)),
            (None, false) => match (servers.pop(), servers.is_empty()) {
                (Some(server), true) => Ok(Self::Single(server)),
                _ => Err(ServersError::new(
                    "must be one server, unless they are Sentinels or nodes of a Cluster",
                )),
            },
        }
    }
}

impl Server {
    fn parse(text: &str, default_port: u16) -> Result<Self, String> {
        const FORM: &str = "must be redis://[user:password@]host[:port][/database], or rediss:// for TLS \
                            (special characters of the password percent-encoded)";
        let url = ::redis::parse_redis_url(text.trim()).ok_or(FORM)?;
        let tls = match url.scheme() {
            "redis" => None,
            "rediss" => Some(Tls::new()?),
            _ => return Err(FORM.to_owned()),
        };
        if url.query().is_some() || url.fragment().is_some() {
            return Err("must not have anything after the database".to_owned());
        }
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or(FORM)?;
        let access = Access {
            user: Some(decoded(url.username())?).filter(|user| !user.is_empty()),
            password: url.password().map(decoded).transpose()?,
            database: database(url.path())?,
            tls,
        };
        if access.user.is_some() && access.password.is_none() {
            return Err("must have a password for its user".to_owned());
        }
        Ok(Self {
            host: host.trim_start_matches('[').trim_end_matches(']').into(),
            port: url.port().unwrap_or(default_port),
            access: Arc::new(access),
        })
    }

    /// A node of the Cluster that the seeds belong to. All let in by the same means: those of the seed at that address, else
    /// of the first one.
    pub(in super::super) fn of_cluster(seeds: &[Self], host: &str, port: u16) -> Option<Self> {
        let seed = seeds.iter().find(|seed| seed.is_at(host, port));
        let seed = seed.or(seeds.first())?;
        Some(seed.at(host, port))
    }

    /// Another server that lets in by the same means.
    pub(super) fn at(&self, host: &str, port: u16) -> Self {
        Self {
            host: host.into(),
            port,
            access: Arc::clone(&self.access),
        }
    }

    pub(in super::super) fn is_at(&self, host: &str, port: u16) -> bool {
        *self.host == *host && self.port == port
    }
}

/// Percent-decoded.
fn decoded(text: &str) -> Result<Box<str>, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let byte = match after {
            [high, low, tail @ ..] if first == b'%' => {
                hexadecimal(*high, *low).map(|byte| (byte, tail))
            }
            _ => None,
        };
        let (byte, tail) = byte.unwrap_or((first, after));
        bytes.push(byte);
        rest = tail;
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text.into()),
        Err(_) => Err("must have user and password in UTF-8 (a % of theirs as %25)".to_owned()),
    }
}

fn hexadecimal(high: u8, low: u8) -> Option<u8> {
    let digit = |digit: u8| char::from(digit).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

fn database(path: &str) -> Result<i64, String> {
    match path.trim_matches('/') {
        "" => Ok(0),
        number => number
            .parse()
            .ok()
            .filter(|number| *number >= 0)
            .ok_or_else(|| "must have the number of a database after its last slash".to_owned()),
    }
}

impl ServersError {
    fn new(message: &str) -> Self {
        Self {
            index: None,
            message: message.to_owned(),
        }
    }
}

impl fmt::Display for ServersError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

/// Without the password.
impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_millis(250);

    fn single(url: &str) -> Server {
        let servers = Servers::parse(&[url], None, false, TIMEOUT).unwrap();
        match servers.arrangement {
            Arrangement::Single(server) => server,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_url_names_a_server() {
        let server = single("redis://cache.example");
        assert!(server.is_at("cache.example", 6379));
        assert_eq!(server.access.password, None);
        assert_eq!(server.access.database, 0);

        let server = single(" redis://me:p%40ss%3a%zz@[2001:db8::1]:7000/3 ");
        assert!(server.is_at("2001:db8::1", 7000), "{server}");
        assert_eq!(server.to_string(), "[2001:db8::1]:7000");
        assert_eq!(server.access.user.as_deref(), Some("me"));
        assert_eq!(server.access.password.as_deref(), Some("p@ss:%zz"));
        assert_eq!(server.access.database, 3);

        let server = single("redis://:secret@10.0.0.1/");
        assert_eq!(server.access.user, None);
        assert_eq!(server.access.password.as_deref(), Some("secret"));
    }

    #[test]
    fn sentinels_and_clusters_have_several_urls() {
        let urls = ["redis://one", "redis://two:7000"];
        let sentinels = Servers::parse(&urls, Some("mymaster"), false, TIMEOUT).unwrap();
        match sentinels.arrangement {
            Arrangement::Sentinel(watched) => {
                let sentinels = watched.sentinels;
                assert_eq!(&*watched.master, "mymaster");
                assert_eq!(sentinels[0].to_string(), "one:26379");
                assert_eq!(sentinels[1].to_string(), "two:7000");
            }
            other => panic!("{other:?}"),
        }
        let cluster = Servers::parse(&urls, None, true, TIMEOUT).unwrap();
        assert!(matches!(cluster.arrangement, Arrangement::Cluster(nodes) if nodes.len() == 2));
    }

    #[test]
    fn what_makes_no_sense_is_an_error() {
        let parse = |urls: &[&str], master: Option<&str>, cluster: bool| {
            Servers::parse(urls, master, cluster, TIMEOUT).unwrap_err()
        };
        let no_urls: [&str; 0] = [];
        assert_eq!(parse(&no_urls, None, false).index, None);
        let both = ["redis://one", "redis://two"];
        assert!(parse(&both, None, false).to_string().contains("one server"));
        assert!(parse(&both, Some("m"), true).to_string().contains("either"));
        assert!(parse(&both, Some(""), false).to_string().contains("name"));
        let database = ["redis://one", "redis://two/1"];
        assert!(
            parse(&database, None, true)
                .to_string()
                .contains("database")
        );
        assert_eq!(parse(&["redis://one", "two"], None, true).index, Some(1));
    }

    #[test]
    fn no_error_shows_a_password() {
        let urls = [
            "redis://:secret@",
            "redis://:secret@host:port",
            "redis://:secret@host/secret",
            "redis://:secret",
            "redis://:secret%ff@host",
            "redis://:secret@host?secret",
            "redis://:secret@host#secret",
            "http://:secret@host",
            "unix:///secret",
            "valkey+unix:///secret",
            "secret",
            "redis://user@host",
        ];
        for url in urls {
            let error = Servers::parse(&[url], None, false, TIMEOUT).unwrap_err();
            assert_eq!(error.index, Some(0), "{url}");
            let shown = format!("{error} {error:?}");
            assert!(shown.contains("must"), "{url}: {shown}");
            assert!(!shown.contains("secret"), "{url}: {shown}");
        }
        let servers = Servers::parse(&["redis://:secret@host"], None, false, TIMEOUT).unwrap();
        assert!(!format!("{servers:?}").contains("secret"));
    }

    #[cfg(not(feature = "redis-tls"))]
    #[test]
    fn tls_needs_its_feature() {
        let error = Servers::parse(&["rediss://host"], None, false, TIMEOUT).unwrap_err();
        assert!(error.to_string().contains("redis-tls"), "{error}");
    }
}
