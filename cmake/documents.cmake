# What the tools' option tables say to people and shells: manual pages and completions, made by the
# tools themselves (--generate) and installed where man and the shells look for them.
set(HLOKIT_SHARE ${PROJECT_BINARY_DIR}/share)
file(MAKE_DIRECTORY ${HLOKIT_SHARE})

# hlokit_documents(<tool>): the tool's documents are made whenever it is built.
function(hlokit_documents tool)
  foreach(kind_and_file man:${tool}.1 bash:${tool} zsh:_${tool} fish:${tool}.fish)
    string(REPLACE ":" ";" parts ${kind_and_file})
    list(GET parts 0 kind)
    list(GET parts 1 file)
    file(MAKE_DIRECTORY ${HLOKIT_SHARE}/${kind})
    add_custom_command(TARGET ${tool} POST_BUILD
      COMMAND ${tool} --generate=${kind} > ${HLOKIT_SHARE}/${kind}/${file} VERBATIM)
  endforeach()
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
