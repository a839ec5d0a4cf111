-- The store of counters in Redis and Valkey: one script, which the server runs as a whole.
--
-- KEYS[1] is a hash: what was read last from the clock, by how much it was ever set back, and the number of the last
-- lease. Then two keys for each claim: a sorted set of units by the time at which they leave, and the level of a
-- bucket of tokens. ARGV[1] is what to do, ARGV[2] a reading of the clock or nothing for the server's own, ARGV[3]
-- the claims as JSON, and ARGV[4] onwards what the task needs besides.
--
-- A member of a sorted set is `LEASE|COST` for what a lease holds, with a minus once it was committed, and
-- `s|LEAVES|COST` for what was spent. Keys are dropped by the server a minute after their last unit has left.

local clock, task, claims = KEYS[1], ARGV[1], cjson.decode(ARGV[3])
local MARGIN = 60000

local function exact(number)
  return string.format('%.17g', number)
end

local function moment()
  if ARGV[2] ~= '' then
    return tonumber(ARGV[2])
  end
  local now = redis.call('TIME')
  return tonumber(now[1]) + tonumber(now[2]) / 1000000
end

-- Time goes on with the clock, and stands where the clock is set back.
local function follow()
  local reading = moment()
  local last = redis.call('HMGET', clock, 'reading', 'shift')
  local shift = tonumber(last[2] or '0')
  if last[1] and reading < tonumber(last[1]) then
    shift = shift + tonumber(last[1]) - reading
  end
  if task ~= 'test' then
    redis.call('HSET', clock, 'reading', exact(reading), 'shift', exact(shift))
  end
  return reading + shift
end

local time = follow()

local function units_key(index)
  return KEYS[2 * index]
end

local function level_key(index)
  return KEYS[2 * index + 1]
end

local function cost_of(member)
  return tonumber(string.match(member, '[^|]+$'))
end

local function keep_until(key, leaves)
  redis.call('PEXPIRE', key, math.ceil(math.max(0, leaves - time) * 1000) + MARGIN)
end

local function add(index, leaves, member)
  local key = units_key(index)
  redis.call('ZADD', key, exact(leaves), member)
  keep_until(key, tonumber(redis.call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2]))
end

local function milliseconds()
  return math.floor(time * 1000 + 0.001)
end

local function level(index)
  local kept = redis.call('HMGET', level_key(index), 'debt', 'at')
  return tonumber(kept[1] or '0'), tonumber(kept[2] or '0')
end

local function missing(index, claim)
  local debt, at = level(index)
  return math.max(0, debt - claim.rate * math.max(0, milliseconds() - at))
end

local function leaves_of(claim)
  local leaves = time + claim.window
  if claim.grain > 0 then
    return math.ceil(leaves / claim.grain) * claim.grain
  end
  return leaves
end

local function spend_tokens(index, claim, cost)
  local debt = missing(index, claim) + cost * claim.unit
  redis.call('HSET', level_key(index), 'debt', exact(debt), 'at', exact(milliseconds()))
  keep_until(level_key(index), time + math.ceil(debt / claim.rate) / 1000)
end

local function spend(index, claim, cost)
  if claim.unit > 0 then
    return spend_tokens(index, claim, cost)
  end
  local leaves, key = leaves_of(claim), units_key(index)
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', key, exact(leaves), exact(leaves))) do
    if string.sub(member, 1, 2) == 's|' then
      cost = cost + cost_of(member)
      redis.call('ZREM', key, member)
    end
  end
  add(index, leaves, 's|' .. exact(leaves) .. '|' .. exact(cost))
end

local function forget(index)
  local key = units_key(index)
  for _, member in ipairs(redis.call('ZRANGE', key, 0, -1)) do
    if string.sub(member, 1, 2) == 's|' then
      redis.call('ZREM', key, member)
    end
  end
  redis.call('DEL', level_key(index))
end

-- The first claim that has no room: its place, the time, when enough of its window has left, and for a bucket of
-- tokens its level and what leases hold.
local function refusal()
  local before = {}
  for index, claim in ipairs(claims) do
    local key = units_key(index)
    local room = claim.limit - claim.cost - (before[key] or 0)
    before[key] = (before[key] or 0) + claim.held
    local units, used = redis.call('ZRANGEBYSCORE', key, '(' .. exact(time), '+inf', 'WITHSCORES'), 0
    for place = 1, #units, 2 do
      used = used + cost_of(units[place])
    end
    if claim.unit > 0 then
      if used + math.ceil(missing(index, claim) / claim.unit) > room then
        local debt, at = level(index)
        local held = {}
        for place = 1, #units, 2 do
          held[#held + 1] = units[place + 1]
          held[#held + 1] = exact(cost_of(units[place]))
        end
        return {'refused', index - 1, exact(time), exact(room), exact(debt), exact(at), held}
      end
    elseif used > room then
      for place = 1, #units, 2 do
        used = used - cost_of(units[place])
        if used <= room then
          return {'refused', index - 1, exact(time), units[place + 1]}
        end
      end
      return {'refused', index - 1, exact(time), 'inf'}
    end
  end
  return nil
end

-- Numbers begin at the time in microseconds, so that no lease is taken for one from before a server lost its data.
local function numbers()
  if redis.call('HEXISTS', clock, 'number') == 0 then
    local now = redis.call('TIME')
    redis.call('HSET', clock, 'number', now[1] .. string.format('%06d', tonumber(now[2])))
  end
  return redis.call('HINCRBY', clock, 'number', #claims) - #claims + 1
end

local function name(number, index, cost)
  return string.format('%.0f|', number + index - 1) .. exact(cost)
end

-- Take the lease out of its buckets; whether it stood in all of them.
local function drop(number)
  local stood = true
  for index, claim in ipairs(claims) do
    if redis.call('ZREM', units_key(index), name(number, index, claim.held)) == 0 then
      stood = false
    end
  end
  return stood
end

if task == 'test' then
  return refusal() or {'free'}
end

if task == 'reserve' then
  for index = 1, #claims do
    redis.call('ZREMRANGEBYSCORE', units_key(index), '-inf', exact(time))
  end
  local refused = refusal()
  if refused then
    return refused
  end
  local number, expires = numbers(), time + tonumber(ARGV[4])
  for index, claim in ipairs(claims) do
    add(index, expires, name(number, index, claim.held))
  end
  return {'taken', string.format('%.0f', number), exact(expires)}
end

local number = tonumber(ARGV[4])

if task == 'commit' then
  local stood = drop(number)
  if not stood or time >= tonumber(ARGV[5]) then
    return {'expired'}
  end
  for index, claim in ipairs(claims) do
    if claim.settles == 'entry' then
      spend(index, claim, claim.cost)
    elseif claim.held > 0 then
      add(index, time + claim.window, '-' .. name(number, index, claim.held))
    end
  end
  return {'entered'}
end

if task == 'give_back' then
  drop(number)
end

if task == 'settle' then
  for index, claim in ipairs(claims) do
    if claim.settles ~= 'entry' then
      redis.call('ZREM', units_key(index), '-' .. name(number, index, claim.held))
      if claim.came_to == cjson.null then
        forget(index)
      elseif claim.came_to > 0 then
        spend(index, claim, claim.came_to)
      end
    end
  end
end

if task == 'renew' then
  for index, claim in ipairs(claims) do
    local member = '-' .. name(number, index, claim.held)
    local leaves = redis.call('ZSCORE', units_key(index), member)
    if claim.settles == 'slot' and leaves and tonumber(leaves) > time then
      add(index, time + claim.window, member)
    end
  end
end

return {'done'}
