//! The rounds, and the table that comes of them.

use std::{collections::HashMap, io, time::Duration};

use super::{
    instructions,
    load::{Measured, Server},
    setup::Setup,
};

/// How long each server is loaded in a round.
const LENGTH: Duration = Duration::from_secs(3);

/// Measures in so many rounds and prints the table, of all servers or of those with these names and what they are compared with.
pub(crate) fn print(rounds: usize, names: &[&str]) -> io::Result<()> {
    let is_wanted = |setup: &Setup| names.is_empty() || names.contains(&setup.name().as_str());
    let wanted: Vec<Setup> = Setup::ALL.into_iter().filter(is_wanted).collect();
    let baselines = wanted.iter().map(|setup| setup.baseline());
    let setups: Vec<Setup> = Setup::ALL
        .into_iter()
        .filter(|setup| wanted.contains(setup) || baselines.clone().any(|base| base == *setup))
        .collect();
    let mut measured: HashMap<String, Vec<Measured>> = HashMap::new();
    for number in 1..=rounds {
        eprintln!("round {number} of {rounds}");
        for &setup in &setups {
            measured
                .entry(setup.name())
                .or_default()
                .push(measure(setup)?);
        }
    }
    let instructions = instructions(&setups)?;
    println!(
        "| server | requests/s | of bare | processor time, of bare | instructions | over bare |"
    );
    println!("|---|---|---|---|---|---|");
    for setup in setups {
        let of = |setup: Setup| measured.get(&setup.name()).map_or(&[][..], Vec::as_slice);
        let (own, bare) = (of(setup), of(setup.baseline()));
        let ratio = |value: fn(&Measured) -> f64| {
            let ratios = own
                .iter()
                .zip(bare)
                .map(|(own, bare)| value(own) / value(bare));
            median(ratios.collect())
        };
        let counted = |setup: Setup| instructions.get(&setup.name()).copied();
        let over = counted(setup).zip(counted(setup.baseline()));
        println!(
            "| {} | {:.0} | {:.2} | {:.2} | {} | {} |",
            setup.name(),
            median(own.iter().map(|one| one.requests_per_second).collect()),
            ratio(|one| one.requests_per_second),
            ratio(|one| one.cpu_micros.unwrap_or(f64::NAN)),
            counted(setup).map_or("–".to_owned(), |count| format!("{count:.0}")),
            over.map_or("–".to_owned(), |(own, bare)| format!(
                "{:+.0}",
                own - bare
            )),
        );
    }
    Ok(())
}

fn measure(setup: Setup) -> io::Result<Measured> {
    let server = Server::start(setup, &[])?;
    let mut load = server.connect(setup)?;
    load.warm_up()?;
    let measured = server.measure(&mut load, LENGTH)?;
    drop(load);
    server.end()?;
    Ok(measured)
}

fn instructions(setups: &[Setup]) -> io::Result<HashMap<String, f64>> {
    if !instructions::are_countable() {
        eprintln!("valgrind is not installed: instructions are not counted");
        return Ok(HashMap::new());
    }
    let count = |setup: &Setup| {
        eprintln!("counting instructions: {}", setup.name());
        Ok((setup.name(), instructions::per_request(*setup)?))
    };
    setups.iter().map(count).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
