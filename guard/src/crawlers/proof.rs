//! Whose an address is: forward-confirmed reverse DNS, in the steps that the operators describe (`Operator::source`).
//!
//! Must not know: who asks, or what is known already.

use std::{net::IpAddr, time::Duration};

use hickory_resolver::{
    TokioResolver,
    lookup::Lookup,
    net::NetError,
    proto::rr::{Name, RData, RecordType},
};

use super::{
    cache::Outcome,
    operators::{Operator, all},
};

/// Whoever writes the names of an address decides how many there are.
const MOST_NAMES: usize = 5;

/// Finds out whose the address is. The names that DNS has for it are compared with the domains of the operators before anything is
/// asked about them.
///
/// # Errors
/// There was no answer that says either.
pub(super) async fn prove(dns: &TokioResolver, address: IpAddr) -> Result<Outcome, NetError> {
    let Some(pointers) = found(dns.reverse_lookup(address).await)? else {
        return Ok(Outcome::Disproven);
    };
    let mut failure = None;
    for (name, operator) in candidates(&pointers) {
        match found(dns.lookup(name.clone(), kind_of(address)).await) {
            Ok(Some(addresses)) if holds(&addresses, address) => {
                let ttl = ttl_of(&pointers).min(ttl_of(&addresses));
                return Ok(Outcome::Proven { operator, ttl });
            }
            Ok(_) => {}
            Err(error) => failure = Some(error),
        }
    }
    // The name that could not be looked up may be the one that counts.
    failure.map_or(Ok(Outcome::Disproven), Err)
}

/// That there are no records is an answer, too.
fn found(answer: Result<Lookup, NetError>) -> Result<Option<Lookup>, NetError> {
    match answer {
        Ok(lookup) => Ok(Some(lookup)),
        Err(error) if error.is_no_records_found() => Ok(None),
        Err(error) => Err(error),
    }
}

/// The names that lie in the domain of an operator, and whose that is.
fn candidates(pointers: &Lookup) -> impl Iterator<Item = (&Name, &'static Operator)> {
    pointers
        .answers()
        .iter()
        .filter_map(|record| match &record.data {
            RData::PTR(name) => Some((&name.0, owner_of(&name.0)?)),
            _ => None,
        })
        .take(MOST_NAMES)
}

fn owner_of(name: &Name) -> Option<&'static Operator> {
    all().find(|operator| operator.domains.iter().any(|domain| is_below(name, domain)))
}

/// Whether the name ends in the labels of the domain, in any case, and has more of them. Labels are compared, not texts: one label may
/// hold any bytes, even dots.
fn is_below(name: &Name, domain: &str) -> bool {
    let mut labels = name.iter().rev();
    let is_within = domain.rsplit('.').all(|expected| {
        labels
            .next()
            .is_some_and(|label| label.eq_ignore_ascii_case(expected.as_bytes()))
    });
    is_within && labels.next().is_some()
}

fn kind_of(address: IpAddr) -> RecordType {
    match address {
        IpAddr::V4(_) => RecordType::A,
        IpAddr::V6(_) => RecordType::AAAA,
    }
}

fn holds(addresses: &Lookup, address: IpAddr) -> bool {
    addresses
        .answers()
        .iter()
        .any(|record| record.data.ip_addr() == Some(address))
}

/// The shortest, aliases included.
fn ttl_of(lookup: &Lookup) -> Duration {
    let seconds = lookup.answers().iter().map(|record| record.ttl).min();
    Duration::from_secs(seconds.unwrap_or_default().into())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_name_belongs_to_the_operator_in_whose_domain_it_lies() {
        let cases = [
            ("crawl-66-249-66-1.googlebot.com.", Some("googlebot")),
            ("CRAWL-66-249-66-1.GoogleBot.COM.", Some("googlebot")),
            ("geo-crawl-1.geo.googlebot.com.", Some("googlebot")),
            ("msnbot-157-55-33-18.search.msn.com.", Some("bingbot")),
            ("spider.yandex.net.", Some("yandexbot")),
            ("googlebot.com.", None),
            ("evilgooglebot.com.", None),
            ("crawl.evilgooglebot.com.", None),
            ("googlebot.com.evil.example.", None),
            ("crawl.googlebot.com.evil.", None),
            ("crawl.msn.com.", None),
            ("google-proxy-66-249-93-1.google.com.", None),
            ("1.2.3.4.bc.googleusercontent.com.", None),
            // One label with a dot in it, below com.
            ("x\\.googlebot.com.", None),
            ("com.", None),
            (".", None),
        ];
        for (name, expected) in cases {
            let name = Name::from_ascii(name).unwrap();
            assert_eq!(
                owner_of(&name).map(|operator| operator.name),
                expected,
                "{name}"
            );
        }
    }

    proptest! {
        #[test]
        fn of_plain_names_the_text_decides(name in "([a-c]{1,2}\\.){1,5}") {
            let domain = "a.b";
            let expected = name.ends_with(".a.b.");
            prop_assert_eq!(is_below(&Name::from_ascii(&name).unwrap(), domain), expected);
        }
    }
}
