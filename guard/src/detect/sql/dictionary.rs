//! The words of SQL and their classes.
//!
//! Keywords and functions are those of the reference manuals of MySQL 8, PostgreSQL 17, SQL Server 2022, Oracle 23 and
//! SQLite 3; of the functions only those that injections call.
//!
//! Must not know: tokens, rules.

use super::words::{Statement, WordClass};

/// Longer words are names of somebody's tables, or no SQL at all.
const LONGEST: usize = 40;

/// The class of a word, in any case.
pub(super) fn classify(word: &[u8]) -> WordClass {
    let mut buffer = [0; LONGEST];
    let Some(lower) = buffer.get_mut(..word.len()) else {
        return WordClass::Plain;
    };
    lower.copy_from_slice(word);
    lower.make_ascii_lowercase();
    keyword(lower)
        .or_else(|| statement(lower).map(WordClass::Statement))
        .or_else(|| function(lower))
        .or_else(|| is_catalog(lower).then_some(WordClass::Catalog))
        .unwrap_or(WordClass::Plain)
}

/// Words with a place in the grammar.
fn keyword(word: &[u8]) -> Option<WordClass> {
    Some(match word {
        b"and" | b"or" | b"xor" => WordClass::Logical,
        b"not" => WordClass::Not,
        b"like" | b"rlike" | b"regexp" | b"ilike" | b"glob" | b"is" | b"in" | b"between"
        | b"div" | b"mod" | b"collate" | b"eqv" | b"imp" => WordClass::Operator,
        b"sounds" => WordClass::Sounds,
        b"distinct" | b"distinctrow" | b"all" | b"any" | b"some" | b"exists" | b"binary"
        | b"top" | b"first" | b"boolean" => WordClass::Prefix,
        b"null" | b"true" | b"false" | b"current_user" | b"current_date" | b"current_time"
        | b"current_timestamp" | b"session_user" | b"system_user" | b"utc_date" | b"utc_time"
        | b"utc_timestamp" | b"sysdate" | b"localtime" | b"unknown" => WordClass::Value,
        b"case" => WordClass::Case,
        b"when" | b"then" | b"else" => WordClass::Branch,
        b"end" => WordClass::CaseEnd,
        b"union" | b"intersect" | b"except" => WordClass::Union,
        b"select" => WordClass::Select,
        b"from" => WordClass::From,
        b"where" | b"having" | b"limit" | b"offset" | b"using" | b"as" | b"on" | b"join"
        | b"separator" | b"escape" => WordClass::Clause,
        b"order" | b"group" => WordClass::Sorting,
        b"by" => WordClass::By,
        b"for" => WordClass::For,
        b"into" => WordClass::Into,
        b"procedure" => WordClass::Procedure,
        _ => return None,
    })
}

/// Words that start statements.
fn statement(word: &[u8]) -> Option<Statement> {
    Some(match word {
        b"alter" => Statement::Alter,
        b"attach" => Statement::Attach,
        b"begin" => Statement::Begin,
        b"call" => Statement::Call,
        b"copy" => Statement::Copy,
        b"create" => Statement::Create,
        b"declare" => Statement::Declare,
        b"delete" => Statement::Delete,
        b"drop" => Statement::Drop,
        b"exec" | b"execute" => Statement::Execute,
        b"goto" => Statement::Goto,
        b"if" => Statement::If,
        b"insert" | b"replace" => Statement::Insert,
        b"load" => Statement::Load,
        b"set" => Statement::Set,
        b"shutdown" => Statement::Shutdown,
        b"truncate" => Statement::Truncate,
        b"update" => Statement::Update,
        b"use" => Statement::Use,
        b"waitfor" => Statement::WaitFor,
        _ => return None,
    })
}

/// Names of functions.
fn function(word: &[u8]) -> Option<WordClass> {
    Some(match word {
        b"sleep"
        | b"pg_sleep"
        | b"benchmark"
        | b"randomblob"
        | b"dbms_lock.sleep"
        | b"dbms_session.sleep"
        | b"user_lock.sleep"
        | b"dbms_pipe.receive_message" => WordClass::DelayFunction,
        b"load_file"
        | b"extractvalue"
        | b"updatexml"
        | b"pg_read_file"
        | b"pg_ls_dir"
        | b"lo_import"
        | b"lo_export"
        | b"load_extension"
        | b"utl_inaddr.get_host_name"
        | b"utl_http.request"
        | b"ctxsys.drithsx.sn"
        | b"dbms_utility.sqlid_to_sqlhash"
        | b"openrowset"
        | b"opendatasource"
        | b"xp_cmdshell" => WordClass::DangerousFunction,
        b"version" | b"user" | b"database" | b"connection_id" | b"current_database"
        | b"current_schema" | b"db_name" | b"suser_name" | b"suser_sname" | b"user_name"
        | b"is_srvrolemember" | b"host_name" | b"last_insert_id" | b"sqlite_version" => {
            WordClass::EnvironmentFunction
        }
        b"ascii" | b"ord" | b"char" | b"chr" | b"nchar" | b"unhex" | b"hex" | b"bin" | b"conv"
        | b"concat" | b"concat_ws" | b"group_concat" | b"string_agg" | b"listagg" | b"elt"
        | b"make_set" | b"export_set" | b"substring" | b"substr" | b"mid" | b"strcmp" | b"lpad"
        | b"rpad" | b"convert" | b"cast" | b"ifnull" | b"nullif" | b"isnull" | b"iif" | b"nvl"
        | b"coalesce" | b"coercibility" | b"name_const" | b"aes_decrypt" | b"aes_encrypt"
        | b"soundex" | b"uncompress" | b"compress" | b"generate_series" | b"array_agg"
        | b"array_to_json" | b"row_count" | b"found_rows" | b"to_char" | b"strcomp" | b"pi" => {
            WordClass::SqlFunction
        }
        b"count" | b"sum" | b"avg" | b"min" | b"max" | b"now" | b"lower" | b"upper" | b"length"
        | b"left" | b"right" | b"floor" | b"rand" | b"md5" | b"sha1" | b"round" | b"sin"
        | b"cos" | b"tan" | b"abs" | b"getdate" => WordClass::CommonFunction,
        _ => return None,
    })
}

/// Whether a word names a table in which a database describes itself.
fn is_catalog(word: &[u8]) -> bool {
    const SCHEMAS: &[&[u8]] = &[
        // MySQL, PostgreSQL, SQL Server; Firebird; Access; DB2.
        b"information_schema.",
        b"mysql.",
        b"pg_catalog.",
        b"rdb$",
        b"msys",
        b"sysibm.",
        // SQL Server, Oracle, SQLite.
        b"sysobjects",
        b"syscolumns",
        b"sysusers",
        b"all_users",
        b"all_tables",
        b"sqlite_master",
        b"sqlite_schema",
    ];
    // Most words end here.
    if !matches!(word.first(), Some(b'i' | b'm' | b'p' | b'r' | b's' | b'a')) {
        return false;
    }
    SCHEMAS.iter().any(|schema| word.starts_with(schema))
}
