# What the tools' option tables say to people and shells: manual pages and completions, made by the
# tools themselves (--generate) and installed where man and the shells look for them.
set(HLOKIT_SHARE ${PROJECT_BINARY_DIR}/share)
file(MAKE_DIRECTORY ${HLOKIT_SHARE})

# hlokit_documents(<tool>): the documents of the tool, as files of the build.
function(hlokit_documents tool)
  foreach(kind_and_file man:${tool}.1 bash:${tool} zsh:_${tool} fish:${tool}.fish)
    string(REPLACE ":" ";" parts ${kind_and_file})
    list(GET parts 0 kind)
    list(GET parts 1 file)
    set(output ${HLOKIT_SHARE}/${kind}/${file})
    file(MAKE_DIRECTORY ${HLOKIT_SHARE}/${kind})
    add_custom_command(OUTPUT ${output}
      COMMAND ${tool} --generate=${kind} > ${output} DEPENDS ${tool} VERBATIM)
    list(APPEND outputs ${output})
  endforeach()
  add_custom_target(${tool}-documents ALL DEPENDS ${outputs})
endfunction()

install(DIRECTORY ${HLOKIT_SHARE}/man/ DESTINATION share/man/man1 COMPONENT runtime)
install(DIRECTORY ${HLOKIT_SHARE}/bash/ DESTINATION share/bash-completion/completions
  COMPONENT runtime)
install(DIRECTORY ${HLOKIT_SHARE}/fish/ DESTINATION share/fish/vendor_completions.d
  COMPONENT runtime)
# Debian's zsh looks in the first folder for packages, in the second for what is installed beside
# them.
install(DIRECTORY ${HLOKIT_SHARE}/zsh/ DESTINATION share/zsh/vendor-completions COMPONENT runtime)
install(DIRECTORY ${HLOKIT_SHARE}/zsh/ DESTINATION share/zsh/site-functions COMPONENT runtime)
