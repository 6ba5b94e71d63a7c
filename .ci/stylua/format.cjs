// Formats the Lua files of a folder: node format.cjs [--write] FOLDER
// Without --write it changes nothing, names each file that is not formatted and exits with 1.
'use strict'

const { readdirSync, readFileSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')
const { Config, IndentType, LuaVersion, OutputVerification, QuoteStyle, formatCode } = require('@johnnymorganz/stylua')

// A config is used up by one call.
function style() {
  const config = Config.new()
  config.syntax = LuaVersion.Lua51
  config.column_width = 110
  config.indent_type = IndentType.Spaces
  config.indent_width = 2
  config.quote_style = QuoteStyle.AutoPreferSingle
  return config
}

const [folder, ...rest] = process.argv.slice(2).filter((arg) => arg !== '--write')
if (!folder || rest.length > 0) throw new Error('usage: node format.cjs [--write] FOLDER')
const write = process.argv.includes('--write')

const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.lua')).sort()
const changed = []
for (const name of files) {
  const path = join(folder, name)
  const before = readFileSync(path, 'utf8')
  const after = formatCode(before, style(), undefined, OutputVerification.Full)
  if (after !== before) {
    changed.push(name)
    if (write) writeFileSync(path, after)
  }
}
for (const name of changed) console.log(`${write ? 'formatted' : 'not formatted'}: ${name}`)
console.log(`${files.length} Lua files, ${changed.length} ${write ? 'changed' : 'to change'}`)
if (files.length === 0 || (changed.length > 0 && !write)) process.exitCode = 1
