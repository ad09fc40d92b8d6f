((preproc_call) @suppression.line
  (#match? @suppression.line "^#\\s*pragma\\s+(GCC|clang)\\s+diagnostic\\s+(ignored|warning)"))
((preproc_call) @suppression.file (#match? @suppression.file "^#\\s*pragma\\s+(GCC|clang)\\s+system_header"))
