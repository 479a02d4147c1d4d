//! Finds out again and again who the masters of a Cluster are.
//!
//! Must not know: what they are wanted for.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{Notify, mpsc},
    task::JoinSet,
    time::timeout,
};

use super::{
    super::connection::{Connection, Failure, Node, Server, Topology},
    Message,
};

/// How often, if all goes well.
const SELDOM: Duration = Duration::from_secs(5);

/// How often, while a master is not there.
const OFTEN: Duration = Duration::from_millis(200);

/// Never ends, unless nobody listens.
pub(super) async fn survey(
    seeds: Vec<Server>,
    patience: Duration,
    lost: Arc<Notify>,
    sender: mpsc::Sender<Message>,
) {
    let mut known = seeds.clone();
    loop {
        let message = match ask_all(&known, patience).await {
            Ok(topology) => {
                known = everyone(&topology, &seeds);
                Message::Masters(servers(topology.masters(), &seeds))
            }
            Err(failure) => Message::NoMasters(failure),
        };
        if sender.send(message).await.is_err() {
            return;
        }
        tokio::time::sleep(OFTEN).await;
        timeout(SELDOM - OFTEN, lost.notified()).await.ok();
    }
}

/// Takes the first answer there is.
async fn ask_all(servers: &[Server], patience: Duration) -> Result<Topology, Failure> {
    let mut answers: JoinSet<Result<Topology, Failure>> = servers
        .iter()
        .cloned()
        .map(|server| async move {
            timeout(patience, ask(&server))
                .await
                .unwrap_or(Err(Failure::TimedOut))
        })
        .collect();
    let mut failure = Failure::Unavailable;
    while let Some(answer) = answers.join_next().await {
        match answer.unwrap_or(Err(Failure::Disconnected)) {
            Ok(topology) => return Ok(topology),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

async fn ask(server: &Server) -> Result<Topology, Failure> {
    let connection = Connection::open(server, None).await?;
    let reply = connection.request(&Topology::question()).await?;
    Topology::read(reply, server)
}

/// All that may be asked next time.
fn everyone(topology: &Topology, seeds: &[Server]) -> Vec<Server> {
    let mut everyone = servers(topology.masters(), seeds);
    everyone.extend(servers(topology.replicas(), seeds));
    for seed in seeds {
        if !everyone
            .iter()
            .any(|known| known.is_at(&seed.host, seed.port))
        {
            everyone.push(seed.clone());
        }
    }
    everyone
}

fn servers(nodes: Vec<Node>, seeds: &[Server]) -> Vec<Server> {
    nodes
        .iter()
        .filter_map(|(host, port)| Server::of_cluster(seeds, host, *port))
        .collect()
}
