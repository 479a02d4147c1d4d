//! The rounds: each server is loaded once in each.

use std::{io, time::Duration};

use crate::{
    Backend as _, Setup, instructions,
    load::{Answered, Load},
    processors,
    server::Server,
};

/// How long each server is loaded in a round.
const LENGTH: Duration = Duration::from_secs(3);

/// What was measured of a server.
pub(crate) struct Results<S> {
    pub(crate) setup: S,
    pub(crate) rounds: Vec<Measured>,
    /// A request; `None` where they are not counted.
    pub(crate) instructions: Option<f64>,
}

/// What was measured of some requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured {
    pub(crate) requests_per_second: f64,
    /// So long half of the requests waited at most, in milliseconds, and so long 99 of a hundred.
    pub(crate) p50_millis: f64,
    pub(crate) p99_millis: f64,
    /// Processor time of a request, in microseconds; `None` where the system doesn't tell.
    pub(crate) cpu_micros: Option<f64>,
    pub(crate) backend_cpu_micros: Option<f64>,
}

/// Measures in so many rounds.
pub(crate) fn measure<S: Setup>(setups: &[S], rounds: usize) -> io::Result<Vec<Results<S>>> {
    let apart = processors::set_apart();
    let backend = S::Backend::start();
    let mut results: Vec<Results<S>> = setups.iter().copied().map(Results::none).collect();
    for number in 1..=rounds {
        eprintln!("round {number} of {rounds}");
        for result in &mut results {
            let measured = load(result.setup, &backend, &apart)?;
            let requests = measured.requests_per_second;
            eprintln!("{requests:>7.0}/s  {}", result.setup.name());
            result.rounds.push(measured);
        }
    }
    if !instructions::are_countable() {
        eprintln!("valgrind is not installed: instructions are not counted");
        return Ok(results);
    }
    for result in &mut results {
        eprintln!("counting instructions: {}", result.setup.name());
        result.instructions = Some(instructions::per_request(result.setup, &backend)?);
    }
    Ok(results)
}

fn load<S: Setup>(setup: S, backend: &S::Backend, under: &[String]) -> io::Result<Measured> {
    let server = Server::start(setup, backend, under)?;
    let mut load = Load::connect(setup, server.port())?;
    load.warm_up()?;
    let cpu = || (server.cpu_seconds(), backend.cpu_seconds());
    let before = cpu();
    let answered = load.send_for(LENGTH)?;
    let after = cpu();
    drop(load);
    server.end()?;
    Ok(Measured::of(answered, before, after))
}

impl<S> Results<S> {
    fn none(setup: S) -> Self {
        Self {
            setup,
            rounds: Vec::new(),
            instructions: None,
        }
    }
}

/// Processor seconds of the server, and of what is behind it.
type Cpu = (Option<f64>, Option<f64>);

impl Measured {
    fn of(mut answered: Answered, before: Cpu, after: Cpu) -> Self {
        answered.waits.sort_unstable();
        let requests = answered.waits.len();
        let waited = |hundredths: usize| {
            let wait = answered.waits.get(requests * hundredths / 100);
            wait.map_or(f64::NAN, |wait| wait.as_secs_f64() * 1e3)
        };
        let micros = |before: Option<f64>, after: Option<f64>| {
            Some((after? - before?) * 1e6 / requests as f64)
        };
        Self {
            requests_per_second: requests as f64 / answered.length.as_secs_f64(),
            p50_millis: waited(50),
            p99_millis: waited(99),
            cpu_micros: micros(before.0, after.0),
            backend_cpu_micros: micros(before.1, after.1),
        }
    }
}
