"""The parts of SQL that are known to read and do nothing else; what is not listed is not known.

The lists are of what sqlglot calls the nodes of its trees. A function that changes something, reads files, sleeps,
locks or reaches out is in none of them, and neither is one that a database may define itself.
"""

from __future__ import annotations

from typing import Any

_CLAUSES = """
Alias Aliases All Any Anonymous AtTimeZone BitString Boolean Bracket ByteString CTE Column Cube DataType DataTypeParam
Distinct Dot Except Fetch Filter From FromTimeZone Group GroupingSets Having HexString Identifier IgnoreNulls In
IndexTableHint Intersect Interval IntervalSpan JSONPath JSONPathKey JSONPathRoot JSONPathSubscript JSONPathWildcard
Join Lateral Limit LimitOptions Literal NamedWindow National Null Offset Order Ordered Parameter Paren Partition Pivot
PivotAlias Placeholder Qualify RawString RespectNulls Rollup Select SessionParameter Slice Star Subquery Table
TableAlias TableSample Tuple UnicodeString Union Values Var Where Window WindowSpec With WithinGroup
"""
_OPERATORS = """
Add Adjacent And ArrayContainedBy ArrayContains ArrayContainsAll ArrayOverlaps Between BitwiseAnd BitwiseLeftShift
BitwiseNot BitwiseOr BitwiseRightShift BitwiseXor Collate DPipe Div EQ Escape GT GTE Glob ILike IntDiv Is JSONBContains
JSONBExtract JSONBExtractScalar JSONExtract JSONExtractScalar LT LTE Like Mod Mul NEQ Neg Not NullSafeEQ NullSafeNEQ Or
Overlaps Pow RegexpILike RegexpLike SimilarTo Sub Xor
"""
_FUNCTIONS = """
Abs Acos Acosh AddMonths AnyValue ApproxDistinct ApproxQuantile ArgMax ArgMin Array ArrayAgg ArrayAll ArrayAny
ArrayAppend ArrayConcat ArrayDistinct ArrayFirst ArrayLast ArrayMax ArrayMin ArrayPosition ArrayPrepend ArrayRemove
ArrayReverse ArraySize ArraySlice ArraySort ArraySum ArrayToString Ascii Asin Asinh Atan Atan2 Atanh Avg
Base64DecodeString Base64Encode BitLength BitwiseAndAgg BitwiseCount BitwiseOrAgg BitwiseXorAgg ByteLength Case Cast
Cbrt Ceil Chr Coalesce Concat ConcatWs Contains Convert ConvertTimezone Corr Cos Cosh Cot Count CountIf CovarPop
CovarSamp CumeDist CurrentCatalog CurrentDatabase CurrentDate CurrentDatetime CurrentSchema CurrentTime
CurrentTimestamp CurrentTimezone CurrentUser Date DateAdd DateBin DateDiff DateFromParts DateStrToDate DateSub
DateToDateStr DateTrunc Datetime DatetimeAdd DatetimeDiff DatetimeSub DatetimeTrunc Day DayOfMonth DayOfWeek
DayOfWeekIso DayOfYear Dayname DecodeCase Degrees DenseRank Elt EndsWith EqualNull Exists Exp Explode
ExplodingGenerateSeries Extract Factorial
First FirstValue Flatten Floor FromBase64 FromISO8601Timestamp GenerateDateArray GenerateSeries GenerateTimestampArray
Greatest GroupConcat Grouping GroupingId Hex Hour If Initcap Int64 IsAscii IsInf IsNan JSONArray JSONArrayAgg
JSONArrayContains JSONBExists JSONBObjectAgg JSONCast JSONExists JSONExtractArray JSONFormat JSONKeys JSONObject
JSONObjectAgg JSONType JSONValueArray JustifyDays JustifyHours JustifyInterval Kurtosis Lag Last LastDay LastValue Lead
Least Left Length Levenshtein List Ln Localtime Localtimestamp Log LogicalAnd LogicalOr Lower LowerHex MD5 MD5Digest
MakeInterval Map MapFromEntries MapKeys MapSize Max Median Min Minute Mode Month Monthname MonthsBetween Nanvl
Normalize NthValue Ntile Nullif NumberToStr Nvl2 ObjectAgg Overlay Pad ParseDatetime ParseJSON ParseTime PercentRank
PercentileCont PercentileDisc Pi Posexplode Quantile Quarter Radians Rand RangeBucket Rank RegexpCount RegexpExtract
RegexpExtractAll RegexpInstr RegexpReplace RegexpSplit RegrAvgx RegrAvgy RegrCount RegrIntercept RegrR2 RegrSlope
RegrSxx RegrSxy RegrSyy Repeat Replace Reverse Right Round RowNumber SHA SHA1Digest SHA2 SHA2Digest SafeAdd SafeDivide
SafeMultiply SafeNegate SafeSubtract Second SessionUser Sign Sin Sinh Skewness Soundex Space Split SplitPart Sqrt
StartsWith Stddev StddevPop StddevSamp StrPosition StrToDate StrToTime StrToUnix String StringToArray Struct
StructExtract Stuff Substring SubstringIndex Sum Tan Tanh Time TimeAdd TimeDiff TimeFromParts TimeStrToDate
TimeStrToTime TimeStrToUnix TimeSub TimeToStr TimeToUnix TimeTrunc Timestamp TimestampAdd TimestampDiff
TimestampFromParts TimestampSub TimestampTrunc ToArray ToBase64 ToChar ToDays ToNumber Translate Trim Trunc Try TryCast
TsOrDiToDi TsOrDsAdd TsOrDsDiff TsOrDsToDate TsOrDsToDateStr TsOrDsToTime TsOrDsToTimestamp Typeof Unhex Unicode
UnixDate UnixMicros UnixMillis UnixSeconds UnixToStr UnixToTime UnixToTimeStr Unnest Upper UtcDate UtcTime UtcTimestamp
Uuid Variance VariancePop Week WeekOfYear WidthBucket Year
"""
_NAMES = """
age array_length array_to_json array_upper btrim cardinality ceiling char charindex char_length character_length
choose clock_timestamp cosine_similarity date_format date_part date_trunc datalength datename datepart dayofyear
div extract format from_unixtime gen_random_uuid getdate getutcdate hex hour ifnull iif instr isnull isnumeric
json_agg json_array json_array_elements json_array_elements_text json_array_length json_build_array json_build_object
json_each json_each_text json_extract json_extract_path json_extract_path_text json_group_array json_group_object
json_object json_query json_tree json_type json_typeof json_unquote json_valid json_value jsonb_agg jsonb_array_elements
jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text
jsonb_object_agg jsonb_object_keys jsonb_path_query jsonb_pretty jsonb_typeof julianday justify_interval last_day len
likelihood likely lpad ltrim make_date make_time make_timestamp mod newid now num_nonnulls num_nulls nvl
octet_length patindex pg_typeof position printf quote quote_ident quote_literal quote_nullable quotename random
regexp_match regexp_matches regexp_split_to_array regexp_split_to_table replicate row row_to_json rpad rtrim scale
sha1 sqlite_version starts_with statement_timestamp str strftime string_agg string_split string_to_table strpos substr
sysdatetime timediff timeofday to_char to_date to_hex to_json to_jsonb to_number to_timestamp to_tsquery to_tsvector
total transaction_timestamp trim_array truncate try_convert ts_headline ts_rank typeof ucase unixepoch unlikely
unistr version weekday yearweek zeroblob
"""

HARMLESS = frozenset((_CLAUSES + _OPERATORS + _FUNCTIONS).split())
_FUNCTION_NAMES = frozenset(_NAMES.split())
_SEQUENCES = frozenset({"currval", "lastval", "nextval"})
_PRAGMAS = frozenset(
    {
        "collation_list",
        "compile_options",
        "database_list",
        "foreign_key_list",
        "function_list",
        "index_info",
        "index_list",
        "index_xinfo",
        "table_info",
        "table_list",
        "table_xinfo",
    }
)


def harm_in(node: Any) -> str:
    """Why *node*, taken by itself, is not known to be harmless; empty where it is."""
    name = type(node).__name__
    if name not in HARMLESS:
        return f"`{node.key.upper()}` is not known to read only"
    if name == "Anonymous" and str(node.this).lower() not in _FUNCTION_NAMES:
        return f"nobody knows what the function `{node.this}` does"
    if name == "Dot" and type(node.expression).__name__ not in ("Identifier", "Star", "Column"):
        return "a function of a schema may do anything"
    if name == "Column" and node.name.lower() in _SEQUENCES:
        return "a sequence moves on"
    return ""


def reads_only(statement: Any) -> bool:
    """Whether a statement that is no query is known to read only: `SHOW`, `DESCRIBE t`, some pragmas."""
    match type(statement).__name__:
        case "Show":
            return True
        case "Describe":
            given = {key for key, value in statement.args.items() if value}
            return given == {"this"} and type(statement.this).__name__ == "Table"
        case "Pragma":
            said = statement.this
            name = said if type(said).__name__ == "Column" else getattr(said, "this", None)
            return getattr(name, "name", "").lower() in _PRAGMAS and len(list(said.walk())) <= 5  # noqa: PLR2004
    return False
