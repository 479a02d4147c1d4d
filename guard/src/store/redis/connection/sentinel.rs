//! Sentinels: they say which server is the master.
//!
//! Must not know: what the master is asked.

use std::collections::HashSet;

use ::redis::{FromRedisValue as _, Value};
use tokio::task::JoinSet;

use super::{
    connect::{Connection, OnPush},
    failure::Failure,
    servers::{Access, Server},
};

/// The Sentinels of a master.
#[derive(Clone, Debug)]
pub(in super::super) struct Sentinels {
    sentinels: Vec<Server>,
    master: Box<str>,
}

impl Sentinels {
    pub(in super::super) fn new(sentinels: &[Server], master: &str) -> Self {
        Self {
            sentinels: sentinels.to_vec(),
            master: master.into(),
        }
    }

    /// Connects to the master. A Sentinel may be wrong or out of reach, so all are asked, and whoever is named has to say of
    /// itself that it is a master.
    pub(in super::super) async fn open_master(
        &self,
        on_push: impl Fn() -> Option<OnPush>,
    ) -> Result<(Server, Connection), Failure> {
        let mut answers = self.ask();
        let mut tried = HashSet::new();
        let mut failure = Failure::Refused("no Sentinel answers".into());
        while let Some(answer) = answers.join_next().await {
            let server = match answer.unwrap_or(Err(Failure::Disconnected)) {
                Ok(server) => server,
                Err(error) => {
                    failure = error;
                    continue;
                }
            };
            if !tried.insert((server.host.clone(), server.port)) {
                continue;
            }
            match open_if_master(&server, on_push()).await {
                Ok(connection) => return Ok((server, connection)),
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    /// Where the master is, by the first Sentinel that knows.
    pub(in super::super) async fn master(&self) -> Result<Server, Failure> {
        let mut answers = self.ask();
        let mut failure = Failure::Refused("no Sentinel answers".into());
        while let Some(answer) = answers.join_next().await {
            match answer.unwrap_or(Err(Failure::Disconnected)) {
                Ok(server) => return Ok(server),
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    fn ask(&self) -> JoinSet<Result<Server, Failure>> {
        self.sentinels
            .iter()
            .map(|sentinel| ask(sentinel.clone(), self.master.clone()))
            .collect()
    }
}

/// Asks one Sentinel for the master.
async fn ask(sentinel: Server, master: Box<str>) -> Result<Server, Failure> {
    let connection = open_sentinel(&sentinel).await?;
    let mut question = ::redis::cmd("SENTINEL");
    question.arg("get-master-addr-by-name").arg(&*master);
    match connection.request(&question).await? {
        Value::Nil => Err(Failure::other(format!(
            "the Sentinel {sentinel} knows no master by the name {master:?}"
        ))),
        address => <(String, u16)>::from_redis_value(address)
            .map(|(host, port)| sentinel.at(&host, port))
            .map_err(|error| Failure::Protocol(error.to_string().into())),
    }
}

/// Sentinels have no databases, and rarely a password.
async fn open_sentinel(sentinel: &Server) -> Result<Connection, Failure> {
    let as_told = Server {
        access: Access {
            database: 0,
            ..Access::clone(&sentinel.access)
        }
        .into(),
        ..sentinel.clone()
    };
    match Connection::open(&as_told, None).await {
        Err(Failure::Unauthenticated(_)) if as_told.access.password.is_some() => {
            let without_password = Server {
                access: Access {
                    user: None,
                    password: None,
                    ..Access::clone(&as_told.access)
                }
                .into(),
                ..as_told
            };
            Connection::open(&without_password, None).await
        }
        other => other,
    }
}

async fn open_if_master(server: &Server, on_push: Option<OnPush>) -> Result<Connection, Failure> {
    let connection = Connection::open(server, on_push).await?;
    match connection.request(&::redis::cmd("ROLE")).await {
        Ok(Value::Array(role)) if !role.first().is_some_and(is_master) => Err(Failure::ReadOnly),
        // A user without the permission to ask has to believe it.
        Ok(_) | Err(Failure::NotPermitted(_)) => Ok(connection),
        Err(failure) => Err(failure),
    }
}

fn is_master(role: &Value) -> bool {
    matches!(role, Value::BulkString(role) if role == b"master")
}
